"""The commands, imported when asked for; `group.py` says which file has which."""
