"""The page of a result as a living thing: decisions in, groups out, in the browser of the same machine.

Begin with `desk`, one person's work on a session, and `worker`, which fits for it in a thread. `view` says what a page
shows of it: `shown` its groups, `pages` its documents, `history` its versions, `ahead` what to ask next, `trusted` how
far the groups can be trusted. `server` has the routes, `guards` who may ask, and `serve` starts it.
"""
