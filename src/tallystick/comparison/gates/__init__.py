"""Gates: limits, and the checks of them."""
