"""Labels and label sets."""
