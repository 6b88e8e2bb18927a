"""Texts, whole or as lists of tokens."""
