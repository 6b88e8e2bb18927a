"""Logs of evaluation tools: which tool wrote a file, and what it contains of each sample."""
