"""The tables and the words of which results, and the pages that show them, are made."""
