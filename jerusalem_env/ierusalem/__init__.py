"""The second game: Ierusalem: Anno Domini (Carmen García Jiménez, 2023) for 3 and 4 players."""
