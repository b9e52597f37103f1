"""How a live state computes: algorithms recorded once per mechanism, run as machine code on the state's own buffers.

Room: state (internal); may import mechanism and above.

    arguments.py    what a kernel is called with: numbers, which change, and structure, which says what to record
    moulds.py       what a kernel returns: its numbers as arrays, and the form they are put back into
    runner.py       a program, interpreted at first, then compiled
    edits.py        which parameters have been edited, and what they are now
    kernels.py      the table of a mechanism
"""
