"""Repeated tries of the same problems."""

from tallystick.model.patterns import PatternKind

TRIES = PatternKind("tries", "repeated tries")
