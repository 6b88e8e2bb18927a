"""Tests that exchange the outputs of two systems, which turns the signs of their differences."""
