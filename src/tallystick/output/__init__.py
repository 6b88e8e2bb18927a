"""Results, and how they are written: tables, figures, reports."""

MOST_EXAMPLES = 200
"""The default number of examples in a report."""
