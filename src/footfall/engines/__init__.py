"""Who moves a robot: contact by time stepping, hybrid motion, maximal coordinates."""
