"""The options of each command."""
