"""Figures as Vega-Lite specifications: plain records in, plain dictionaries out."""
