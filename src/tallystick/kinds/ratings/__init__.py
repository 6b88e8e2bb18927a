"""Ratings of annotators, of which nobody's are gold."""

from tallystick.model.patterns import PatternKind

RATINGS = PatternKind("ratings", "ratings of annotators")
