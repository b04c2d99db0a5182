"""The page of a result as a living thing: decisions in, groups out, in the browser of the same machine.

Begin with `controller`: one person's work on a session, and the thread that fits for it. `views` is what a page shows
of a version, and `lookahead` looks for the next questions and measures trust in the background. `server` has the
routes, and `guards` admits only the browser that the process opened.
"""
