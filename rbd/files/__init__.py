"""Robot files of any format: bytes, XML, numbers, names and paths, none of them trusted.

The readers of the formats are built on these modules.
"""
