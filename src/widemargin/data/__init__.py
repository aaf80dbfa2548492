"""The caller's table, read once, and the table that the methods see."""
