"""Contact by time stepping."""
