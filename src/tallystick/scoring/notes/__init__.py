"""Notes beside scores: what a reader must know."""
