"""What compiled games have in common: from a game's own kernels to a ``Game``. Knows no game."""
