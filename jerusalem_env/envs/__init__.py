"""Game-agnostic environments: they know the ``Game`` contract and no game's rules."""
