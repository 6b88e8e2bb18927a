"""Tables in files: formats, columns, and blocks of rows."""
