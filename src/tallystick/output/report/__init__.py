"""The report: a result as one HTML page that needs no server, no network and no JavaScript."""
