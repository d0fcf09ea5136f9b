"""Tactics that combine moves into strategies, and the search for one."""
