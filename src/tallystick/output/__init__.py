"""Results, and how they are written: tables, figures, reports."""

MOST_EXAMPLES = 200
"""The default number of examples in a report."""

FEW = 100
"""Groups with fewer examples are grey: their scores are mostly noise."""
