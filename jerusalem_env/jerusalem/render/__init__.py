"""The board for people: as text and as a picture."""
