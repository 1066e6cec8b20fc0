"""When two texts mean the same fact: titles, names, venues, pages, identifiers, amounts."""
