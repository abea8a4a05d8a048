"""Hybrid motion: smooth modes, guards that end them, resets that lead to the next."""
