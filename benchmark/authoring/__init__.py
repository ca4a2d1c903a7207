"""Makes benchmark questions, statements, chains and meta information, by rules, by people and by judges."""
