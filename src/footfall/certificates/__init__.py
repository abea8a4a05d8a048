"""Certificates of gaits: how a walk bears pushes, slopes, steps, slippery ground, and wrong beliefs."""

from footfall.certificates.certify import Certificate, certify
