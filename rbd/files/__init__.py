"""Robot files of any format: bytes, XML, numbers, names and paths, none of them trusted.

The readers of the formats are built on these modules.

source.py      the bytes of files and of texts; xml.py: elements, with their lines
formats.py     names of a format, and its errors
reading.py     one reading of a file: errors, warnings, attributes; report.py: its findings
numbers.py, names.py, paths.py, pose.py, inertias.py: what attributes hold
meshes.py      vertices and triangles; colored_meshes.py: those of more formats, with colours, by trimesh
mesh_hulls.py  rounded hulls of a few vertices; convex_hulls.py: hulls by SciPy
height_grids.py  grids of heights from images and binary files
shapes.py      shapes of files in collision models
writing.py     elements and numbers as text
"""
