"""The game for people: text and pictures."""
