"""The commands, one in each file, imported when asked for."""
