"""Programs for many rows: access to arrays, tiles, threads."""
