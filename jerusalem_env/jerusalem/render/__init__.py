"""The board for people: text now, pictures later."""
