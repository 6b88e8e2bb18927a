"""The kinds of data, a folder each: how it is read, its counters, its metrics."""
