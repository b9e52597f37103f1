"""Robot files of any format: bytes, XML, numbers, names and paths, none of them trusted.

The readers of the formats are built on these modules.

source.py      the bytes of files and of texts; xml.py: elements, with their lines
formats.py     names of a format, and its errors; limits.py: sizes above which files are refused
reading.py     one reading of a file: errors, warnings, attributes; report.py: its findings
numbers.py, names.py, paths.py, pose.py, inertias.py, bounds.py: what attributes hold
collision_shapes.py  shapes of files in collision models
writing.py     elements and numbers as text
"""
