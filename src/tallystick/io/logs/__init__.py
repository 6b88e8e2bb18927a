"""Logs of evaluation tools: which tool wrote a file, and what it holds of each sample."""
