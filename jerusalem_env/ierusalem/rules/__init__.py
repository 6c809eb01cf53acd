"""The rule book as data: the box, the table, the rule set. Imports nothing of the engine."""
