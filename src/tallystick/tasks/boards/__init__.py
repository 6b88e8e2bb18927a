"""The site of a shared task: built from submissions, ranked over tracks, with scores given."""
