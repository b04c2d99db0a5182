"""The workbench: decisions in, groups out, in a local browser.

Begin with `controller`: the session's log, versions and worker thread. `views` builds the plain data of a
version and its questions, and measures trust in the background. `server` has the routes, and `guards` admits only the
browser that the process opened.
"""
