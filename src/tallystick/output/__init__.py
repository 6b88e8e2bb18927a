"""Results, and how they are written: tables, figures, reports."""
