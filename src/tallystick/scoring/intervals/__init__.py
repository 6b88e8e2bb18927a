"""The intervals of scores."""
