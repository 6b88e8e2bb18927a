"""Slow and obvious twins, against which the fast ones are tested."""
