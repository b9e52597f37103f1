"""Scene of a viewer: nodes of viser for bodies, frames, joints and forces, in layers that are shown or hidden.

A node per body carries everything that is fixed to it. A layer is sent to the browser when it is first shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from rbd.mechanism import Mechanism
from rbd.meshes.colored_meshes import Color
from rbd.scalars.arrays import Array
from rbd.viz.ground import grid_lines, grid_spacing, line_file
from rbd.viz.layers import Layer
from rbd.viz.node_poses import set_orientations, set_positions
from rbd.viz.poses import quaternions, transformed_points
from rbd.viz.skeleton import LoopEnds, bones, loop_ends
from rbd.viz.surfaces import Surface, plane_pose, sphere, square
from rbd.viz.visuals import Visual, Visuals

if TYPE_CHECKING:
    from viser import ArrowsHandle, GlbHandle, GridHandle, LineSegmentsHandle, SceneNodeHandle, ViserServer

_BONE, _JOINT, _LOOP, _FORCE = (60, 60, 60), (0.95, 0.65, 0.10, 1.0), (0.80, 0.06, 0.18, 1.0), (200, 16, 46)
_CONTACT: Final[Color] = (0.10, 0.10, 0.10, 1.0)
_HALF_SPACE: Final[Color] = (0.82, 0.84, 0.86, 0.5)
_IDENTITY: Final = np.eye(4)


@final
class Scene:
    """The nodes of a mechanism on a server."""

    def __init__(self, server: ViserServer, mechanism: Mechanism, visuals: Visuals, poses: Array) -> None:
        """Make the nodes of the bodies; nothing is visible yet."""
        self._server, self._scene = server, server.scene
        self._mechanism, self._visuals = mechanism, visuals
        self._bones, self._loops = bones(mechanism), loop_ends(mechanism)
        self._index = {body: k for k, body in enumerate(mechanism.bodies)}
        low, high = self.extent(poses)
        self.size = max(float(np.linalg.norm(high - low)), 1e-3)
        self._spacing = grid_spacing(self.size)
        self._light()
        self._bodies = [self._scene.add_frame(f"/bodies/{k}", show_axes=False) for k in range(len(self._bones))]
        self._nodes: dict[Layer, list[SceneNodeHandle]] = {}
        self._gaps: list[LineSegmentsHandle] = []
        self._arrows: ArrowsHandle | None = None
        self._grid: GlbHandle | None = None
        self._shade: GridHandle | None = None
        self._forces = np.empty((0, 2, 3))
        self._visible: set[Layer] = set()
        self._poses = np.tile(_IDENTITY, (len(self._bodies), 1, 1))  # those of new nodes
        self._sent = self._poses[:, :3, 3], quaternions(self._poses[:, :3, :3])
        self.move(poses)

    def _light(self) -> None:
        """Add the lights: a sun and a sky."""
        self._scene.configure_environment_map(None)
        self._scene.configure_default_lights(enabled=False)
        self._scene.add_light_hemisphere("/sky", sky_color=(255, 255, 255), ground_color=(150, 145, 140), intensity=1.8)
        sun = (0.5 * self.size, -0.9 * self.size, 1.6 * self.size)
        self._sun = self._scene.add_light_directional("/sun", intensity=2.0, position=sun)

    # ---------------------------------------------------------------- motion

    def move(self, poses: Array, forces: Array | None = None) -> None:
        """Show bodies at poses (n, 4, 4), and forces (m, 2, 3): points of application and arrows, in metres."""
        positions, orientations = poses[:, :3, 3], quaternions(poses[:, :3, :3])
        sent, self._poses = self._sent, poses
        self._sent = (
            np.full_like(positions, np.nan),
            np.full_like(orientations, np.nan),
        )  # unknown until all of them are
        with self._server.atomic():
            set_positions(self._bodies, positions, sent[0])
            set_orientations(self._bodies, orientations, sent[1])
            self._sent = positions, orientations
            for line, ends in zip(self._gaps, self._loops, strict=False):
                line.points = self._gap(ends)
            self._center_ground()
            if forces is not None:
                self._forces = forces
                self._draw_forces()

    def _gap(self, ends: LoopEnds) -> NDArray[np.float32]:
        """Return the line from one end of a loop joint to the other, in the root frame."""
        a, b = self._poses[self._index[ends.predecessor]], self._poses[self._index[ends.successor]]
        return np.array([[transformed_points(a, ends.before), transformed_points(b, ends.after)]], dtype=np.float32)

    def _draw_forces(self) -> None:
        if self._arrows is not None:
            self._arrows.remove()
            self._arrows = None
        if len(self._forces) and "forces" in self._visible:
            ends = np.stack([self._forces[:, 0], self._forces[:, 0] + self._forces[:, 1]], axis=1)
            thick = self.size / 120
            self._arrows = self._scene.add_arrows(
                "/forces", ends, _FORCE, shaft_radius=thick / 2, head_radius=1.3 * thick, head_length=3 * thick
            )

    # ---------------------------------------------------------------- layers

    @property
    def visible(self) -> frozenset[Layer]:
        """The layers shown."""
        return frozenset(self._visible)

    def set_visible(self, layer: Layer, visible: bool) -> None:
        """Show or hide a layer."""
        (self._visible.add if visible else self._visible.discard)(layer)
        if visible and layer not in self._nodes:
            self._nodes[layer] = list(self._layer_nodes(layer))
        for node in self._nodes.get(layer, ()):
            node.visible = visible
        if layer == "forces":
            self._draw_forces()
        if layer == "shadows":  # not by default: where a processor draws, they take more time than all the rest
            self._sun.cast_shadow = visible
        if self._shade is not None:
            self._shade.visible = "shadows" in self._visible

    def _layer_nodes(self, layer: Layer) -> Iterable[SceneNodeHandle]:
        """Make the nodes of a layer; forces and shadows have none."""
        makers: dict[Layer, Callable[[], Iterable[SceneNodeHandle]]] = {
            "shapes": lambda: self._surfaces(self._shown_visuals(), "shape"),
            "collisions": lambda: self._surfaces(self._hidden_visuals("collision"), "collision", opacity=0.5),
            "inertias": lambda: self._surfaces(self._hidden_visuals("inertia"), "inertia", opacity=0.4),
            "skeleton": self._stick_figure,
            "frames": self._frames,
            "names": self._names,
            "loops": self._loop_joints,
            "contacts": self._contacts,
            "ground": self._ground,
        }
        return makers[layer]() if layer in makers else ()

    def _shown_visuals(self) -> list[Visual]:
        """Return the visuals that show the bodies."""
        return [visual for body in self._mechanism.bodies for visual in self._visuals.shown(body)]

    def _hidden_visuals(self, use: Literal["collision", "inertia"]) -> list[Visual]:
        """Return the visuals of one use that do not show bodies now."""
        shown = {id(visual) for visual in self._shown_visuals()}
        return [visual for visual in self._visuals.all if visual.use == use and id(visual) not in shown]

    def _surfaces(self, visuals: list[Visual], name: str, opacity: float | None = None) -> Iterator[SceneNodeHandle]:
        for k, visual in enumerate(visuals):
            path = f"/bodies/{self._index[visual.body]}/{name}{k}"
            yield self._surface(path, visual.surface, visual.pose, visual.color, opacity)

    def _surface(
        self, path: str, surface: Surface, pose: Array, color: Color, opacity: float | None = None
    ) -> SceneNodeHandle:
        turn = quaternions(pose[None, :3, :3])[0]
        return self._scene.add_mesh_simple(
            path, surface.vertices, surface.triangles, color=color[:3], flat_shading=not surface.smooth,
            opacity=opacity if color[3] == 1.0 else color[3], wxyz=turn, position=pose[:3, 3],
        )  # fmt: skip

    def _stick_figure(self) -> Iterator[SceneNodeHandle]:
        ball = sphere(self.size / 100)
        for k, bone in enumerate(self._bones):
            if len(bone.segments):
                yield self._scene.add_line_segments(
                    f"/bodies/{k}/bone", bone.segments, _BONE, thickness=self.size / 130
                )
            for j, point in enumerate(bone.joints):
                yield self._surface(f"/bodies/{k}/joint{j}", ball.moved(point), _IDENTITY, _JOINT)

    def _frames(self) -> Iterator[SceneNodeHandle]:
        length = self.size / 18
        for k, bone in enumerate(self._bones):
            for j, named in enumerate(bone.frames):
                turn, place = quaternions(named.pose[None, :3, :3])[0], named.pose[:3, 3]
                yield self._scene.add_frame(
                    f"/bodies/{k}/frame{j}", axes_length=length, axes_radius=length / 22, origin_radius=length / 12,
                    wxyz=turn, position=place,
                )  # fmt: skip

    def _names(self) -> Iterator[SceneNodeHandle]:
        for k, bone in enumerate(self._bones):
            for j, named in enumerate(bone.frames):
                yield self._scene.add_label(
                    f"/bodies/{k}/name{j}",
                    named.name,
                    position=named.pose[:3, 3],
                    font_screen_scale=0.8,
                    anchor="bottom-left",
                )

    def _loop_joints(self) -> Iterator[SceneNodeHandle]:
        """Yield balls at both ends of loop joints, and lines across gaps."""
        for j, ends in enumerate(self._loops):
            a, b = self._index[ends.predecessor], self._index[ends.successor]
            for k, point, radius in ((a, ends.before, self.size / 55), (b, ends.after, self.size / 70)):
                ball = sphere(radius).moved(point)
                yield self._surface(f"/bodies/{k}/loop{j}", ball, _IDENTITY, (*_LOOP[:3], 0.6))
            line = self._scene.add_line_segments(f"/loops/{j}", self._gap(ends), _FORCE, thickness=self.size / 200)
            self._gaps.append(line)
            yield line

    def _contacts(self) -> Iterator[SceneNodeHandle]:
        """Yield balls at the compliant contact points of bodies, and patches of the half-spaces they touch."""
        ball = sphere(self.size / 90)
        for k, body in enumerate(self._mechanism.bodies):
            for j, contact in enumerate(body.contact_points):
                spot = ball.moved(contact.location.xyz)
                yield self._surface(f"/bodies/{k}/contact{j}", spot, _IDENTITY, _CONTACT)
        for j, half_space in enumerate(self._mechanism.half_spaces):
            pose = plane_pose(half_space.point.xyz, half_space.normal.xyz)
            yield self._surface(f"/half-spaces/{j}", square(2 * self.size).two_sided(), pose, _HALF_SPACE)

    def _ground(self) -> Iterator[SceneNodeHandle]:
        """Yield a grid, three times as wide as the robot."""
        radius = 1.5 * self.size
        lines = line_file(*grid_lines(self._spacing, radius))
        self._grid = self._scene.add_glb("/ground", lines, cast_shadow=False, receive_shadow=False)
        self._center_ground()
        self._shade = self._scene.add_grid(  # without lines; below those of the grid, which would flicker
            "/ground/shade", 2 * radius, 2 * radius, cell_thickness=0.0, section_thickness=0.0,
            fade_distance=8 * self.size, position=(0.0, 0.0, -self.size / 1000),
        )  # fmt: skip
        yield self._grid

    def _center_ground(self) -> None:
        """Move the grid by whole cells, which is invisible, to below the bodies."""
        if self._grid is not None and len(self._poses) > 1:
            middle: Array = self._poses[1:, :2, 3].mean(axis=0)
            if float(np.abs(middle - self._grid.position[:2]).max()) > self._spacing:
                corner: Array = self._spacing * np.round(middle / self._spacing)
                self._grid.position = np.append(corner, 0.0)

    def extent(self, poses: Array) -> tuple[Array, Array]:
        """Return the corners of a box around the bodies but the root body, which may have planes of any size."""
        clouds = [
            transformed_points(pose, bone.segments.reshape(-1, 3))
            for pose, bone in zip(poses, self._bones, strict=True)
        ]
        clouds += [
            transformed_points(poses[self._index[visual.body]] @ visual.pose, visual.surface.vertices)
            for visual in self._shown_visuals()
            if not visual.body.is_root
        ]
        points = np.concatenate([*clouds, poses[:, :3, 3]])
        return points.min(axis=0), points.max(axis=0)
