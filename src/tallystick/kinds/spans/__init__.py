"""Spans, and tags that stand for them."""
