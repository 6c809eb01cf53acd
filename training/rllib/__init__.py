"""Training on many machines with Ray RLlib. Needs the extra ``ray``."""
