"""Graphs that the garbage collector frees: no recursion, however deep their expressions are."""

from __future__ import annotations

import gc
import threading
import weakref

from rbd.program.graph import Graph

OPERATIONS = 50_000


def deep_graph() -> Graph:
    """Return a graph whose nodes are one chain."""
    graph = Graph()
    y = x = graph.input("x")
    for k in range(OPERATIONS):
        y = y * x + float(k)
    return graph


def test_collecting_deep_graphs_takes_no_stack() -> None:
    """CPython 3.13 frees nested objects recursively, up to ten thousand levels: more than small stacks hold."""
    held = [deep_graph()]
    graph = weakref.ref(held[0])

    def drop() -> None:
        held.clear()
        gc.collect()

    old = threading.stack_size(64 * 1024)
    try:
        thread = threading.Thread(target=drop)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert graph() is None


def test_nodes_keep_their_graph() -> None:
    """A scalar outlives every other reference to its graph, and is still usable."""
    graph = Graph()
    y = graph.input("x") * 2.0
    reference = weakref.ref(graph)
    del graph
    gc.collect()
    assert len((y + 1.0).graph.order) == 3
    del y
    gc.collect()
    assert reference() is None
