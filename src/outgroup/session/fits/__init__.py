"""How a version is made: the first fit from nothing, each next one from the version before."""
