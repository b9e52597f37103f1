"""Pytrees: nested tuples, mappings and framed values as numbers and a template, and back.

templates.py     templates: values without their numbers; functions from numbers to values
flattening.py    values to numbers and a template
unflattening.py  arrays of numbers to values
lazy_tuple.py    tuples of values made when asked for
finite.py        whether all numbers of a value are finite
"""
