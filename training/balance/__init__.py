"""The balance report: many games between equal players, and what they say about the game itself."""
