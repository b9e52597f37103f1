"""Pictures of mechanisms: plots with matplotlib (extra `plot`), and a viewer in the browser (extra `viz`).

The packages of the extras are imported by the functions that use them.

plots.py       plot_mechanism, plot_trajectory, plot_energies, plot_gaps; figures.py, trajectories.py
shapes.py      plot_shapes: the shapes of a collision model, with witness discs
skeleton.py    stick figure: bones, frames, loop joints
surfaces.py    surfaces as meshes, for plots and the viewer; shape_surfaces.py those of shapes
visuals.py     visuals of bodies
forces.py      forces as arrows
poses.py       poses of all bodies as arrays
viewer.py      Viewer, made of
  arguments.py checks of what it is given
  loopback.py  viser's server, for this computer only; page_scripts.py: what its pages run
  scene.py     the nodes of the scene, in layers (layers.py); ground.py; node_poses.py: how they move
  panel.py     the control panel; sliders.py the coordinates its sliders move
  pictures.py  screenshots and films; browser.py: the browser that draws them
  player.py    the clock of a playback
"""

from __future__ import annotations

from rbd.viz.forces import Force, contact_forces
from rbd.viz.plots import plot_energies, plot_gaps, plot_mechanism, plot_trajectory
from rbd.viz.shapes import plot_shapes
from rbd.viz.viewer import Viewer, ViewerWarning

__all__ = [
    "Force",
    "Viewer",
    "ViewerWarning",
    "contact_forces",
    "plot_energies",
    "plot_gaps",
    "plot_mechanism",
    "plot_shapes",
    "plot_trajectory",
]
