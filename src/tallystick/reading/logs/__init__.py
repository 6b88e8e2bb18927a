"""Logs of evaluations, each of which is a system with its gold."""
