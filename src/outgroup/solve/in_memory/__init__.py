"""Algorithms that need the whole matrix in memory: local search, bisection, split and merge, the choice of k.

`ping_pong` puts them together to the whole spherical fit. `local_search` opens a search: native kernels for
sparse rows, `dense_search` for dense ones, `plain_search` where there is no compiler. `profile` tells what each number
of groups does, and `found_again` whether groups are there in parts of the rows, too.
"""
