"""Parts of files: where rows start, and where files are cut."""
