"""Names of metrics, and what can be scored with them."""
