"""What scoring returns: plain records, and the results made of them."""
