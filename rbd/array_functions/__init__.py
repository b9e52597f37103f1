"""Functions of arrays: recorded functions of a state, called for one state or many.

record.py               `record`: functions of users; recorded functions of specifications
named_outputs.py        results of functions as named outputs
recording_spec.py       RecordingSpec: a function of a state with its arguments and options
wrench_inputs.py        external wrenches as inputs
recorded_controller.py  recorded controllers: checks, replay in other recordings
function.py             RecordedFunction
evaluation.py           evaluation of its program: conversion of arguments, executable, errors
arguments.py            arrays of its arguments and results
masked_rows.py          rows of masked entries
parameter_checks.py     values of parameters of the mechanism
row_status.py           rows that fail: errors, or RowStatus
velocity_map.py         derivatives by q as derivatives along velocities
"""
