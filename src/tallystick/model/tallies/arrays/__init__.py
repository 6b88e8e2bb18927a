"""What tallies do with arrays: rows told apart, sums kept exact, and draws."""
