"""People at the table: games with agents and records, in the terminal and in the browser."""
