"""Tokenizers: the native ones by name, those of other packages, and any Python callable."""
