"""Parts of files: where rows start, where files are cut, and ranges of bytes."""
