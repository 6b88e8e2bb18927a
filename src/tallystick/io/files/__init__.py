"""Files as bytes: opened, cut, packed, and written."""
