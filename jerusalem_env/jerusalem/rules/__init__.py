"""The rule book of Jerusalem as data: board, offices, cards, events, rule sets and presets."""
