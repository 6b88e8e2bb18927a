"""Numbers, such as judgements and what regressions predict, and soft labels."""
