"""Edits of the structure of a mechanism: all checks come before the first change.

attach.py         attachment of bodies, closure of loops
tree_edits.py     other spanning trees, replacement and removal of joints, removal of subtrees
merge.py          bodies that fixed joints connect as one body
reverse_joint.py  reversed joints
reports.py        reports of edits
"""
