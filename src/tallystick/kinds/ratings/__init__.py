"""Ratings of annotators, of which nobody's are gold."""

from tallystick.model.reading import PatternKind

RATINGS = PatternKind("ratings", "ratings of annotators")
