"""Programs for many rows: access to arrays, blocks, tiles.

W rows, as many as a vector has lanes, are a block. Machine code of a batch is one loop over blocks:

    rows.py                   the loop over blocks and tiles, and the entry points
      block_reader.py         rows to lanes; sums that tell whether all inputs are finite
      block_computation.py    the functions of the program on the block's workspace; the status of every lane
      block_writer.py         lanes to rows, where the status is clean
      block_memory.py         the arguments of these, and the memory of a block

    row_access.py             rows of strided arrays: their layout, and moves to and from lanes
    transpose.py              the same for arrays whose rows are contiguous: transposes of registers
    column_tiles.py           arrays in column order: several blocks, a tile, are read and written together
    prefetching.py            rows and columns into the caches, before they are read

Threads each take pieces, whole blocks of rows, from a shared counter. A row has the bits that it has alone: lanes never
exchange numbers.
"""
