"""Whole experiments, one file each."""
