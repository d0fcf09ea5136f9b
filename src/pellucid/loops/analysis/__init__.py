"""What moves ask about nests, and the clauses that several moves share."""
