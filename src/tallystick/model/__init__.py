"""What all kinds share: systems and their columns, codes, tallies, and protocols."""
