"""When two texts mean the same fact: titles, names, venues, pages, identifiers, amounts.

``fields`` has the rule of each tracked field and is what checks call. ``works`` decides whether two
descriptions are of one work, ``withdrawal`` whether a paper still stands, ``runs`` whether two
benchmarks measured the same. The other modules each know one kind of fact. Nothing here reads a
file or asks a source.
"""
