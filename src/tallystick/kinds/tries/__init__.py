"""Repeated tries of the same problems."""

from tallystick.examples.patterns import PatternKind

TRIES = PatternKind("tries", "repeated tries")
