"""The page of a result as a living thing: decisions in, groups out, in the browser of the same machine."""
