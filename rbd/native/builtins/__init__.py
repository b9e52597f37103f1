"""C functions that Python calls, made at run time around compiled programs."""
