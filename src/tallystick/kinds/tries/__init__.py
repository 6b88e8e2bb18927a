"""Repeated tries of the same problems."""

from tallystick.model.reading import PatternKind

TRIES = PatternKind("tries", "repeated tries")
