"""Repeated tries of the same problems."""
