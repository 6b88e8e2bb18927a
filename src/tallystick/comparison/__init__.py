"""Several systems on the same examples: how they differ, and how sure that is."""
