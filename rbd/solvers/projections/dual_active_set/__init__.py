"""Dual active-set method of Goldfarb and Idnani, for rows in groups of few dimensions.

Goldfarb, Idnani (Mathematical Programming 27, 1983), for the point y of W C y >= c nearest to zero. Violated rows
become active one after the other; those whose multipliers vanish on the way are dropped. The active rows N are linearly
independent, so that they are n at most; with N* = (N N')⁻¹ N,

    y = 0, no active row                                              method.py
    until no row is violated, for each group in turn:
        a = the most violated row of the group                        violated_row.py
        r = N* a, d = a - N'r                                         step.py: compute_directions
        t = the step at which a is satisfied                          full_step_length
        s = the step at which a multiplier of an active row vanishes  find_blocking_step
        y += min(s, t) d, multipliers -= min(s, t) r                  move
        where s < t: drop the blocking row, update d and r, again     active_rows.py: drop_blocking_row
        add a; update N and N*                                        add_row
    compute the multipliers again from N, N* and the sides            method.py: _refine_multipliers

The unknowns y are those of `twist_space.py`; rows W are those of cones (`cone_rows.py`), so that the search takes fewer
multiply-adds than W has entries.

All lanes run the same loops. A lane drops one row in a turn; if a second one is blocking, the entering row is pending
until the next turn of its lane. Where some lanes keep an entry of memory and others replace it, the new entry is
computed with factors of zero and one: of a `select` between the two LLVM makes a masked store, which is slow on some
processors with AVX2.

workspace.py     names of all arrays
method.py        the loop, the results, the intrinsic
violated_row.py  the row that enters
step.py          directions and lengths
active_rows.py   rows that are added and dropped
"""
