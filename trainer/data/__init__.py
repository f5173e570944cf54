"""Small data sets that travel with Maypole, each with its attribution beside it."""
