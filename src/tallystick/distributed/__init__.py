"""Counts parts on many processes or machines, and adds them up to what one process would count."""
