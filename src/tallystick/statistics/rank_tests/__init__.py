"""Tests of the ranks of several systems over several data sets."""
