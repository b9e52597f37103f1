"""The report of the MJCF reader.

An `MjcfReport` is filled by `load_mjcf(..., report=report)` when loading succeeds; a refused file leaves it as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.arguments import require_kind, with_article
from rbd.errors import ArgumentError
from rbd.files.pose import ZERO, FloatMat3, FloatVec3
from rbd.files.report import FileReport
from rbd.mjcf.contact_friction import ContactFriction
from rbd.scalars.number_checks import above_zero

if TYPE_CHECKING:
    from rbd.contact import CollisionModel
    from rbd.mechanism import Mechanism
    from rbd.meshes.rounded_hulls import MeshHull
    from rbd.mjcf.assets import Assets
    from rbd.mjcf.controller import Control, MjcfController


@final
@attrs.frozen
class Geom:
    """A geom; `rotation` (rows) and `translation` are its pose in the frame of `body`.

    `size` has radii and half lengths, as in the file. Meshes have size zero. The origin of a mesh that contributes to
    the mass of its body is its centre of mass.

    >>> from rbd.mjcf import parse_mjcf
    >>> report = MjcfReport()
    >>> ball = parse_mjcf("<mujoco><worldbody><geom size='0.1'/></worldbody></mujoco>", report=report)
    >>> report.geoms[0].body, report.geoms[0].shape, report.geoms[0].size
    ('world', 'sphere', (0.1, 0.0, 0.0))
    """

    name: str | None
    body: str
    shape: str
    size: FloatVec3
    rotation: FloatMat3
    translation: FloatVec3
    friction: float
    line: int
    group: int = 0
    color: tuple[float, float, float, float] | None = None
    """Red, green, blue and opacity, of the geom or its material."""
    mesh: str | None = None
    mesh_origin: FloatVec3 = ZERO
    """Position of the geom's origin in the coordinates of its mesh."""
    contact_friction: ContactFriction = attrs.field(factory=ContactFriction)
    """All coefficients; `friction` is that of sliding."""
    height_field: str | None = None
    """The name of its height field."""


MomentArms: TypeAlias = tuple[tuple[str, tuple[float, ...]], ...]
"""Joints by name, each with a factor per velocity."""


@final
@attrs.frozen
class Actuator:
    """An actuator with force = gain · control + bias, which acts on joints by `moment_arms`.

    `gain` and `bias` are coefficients of (1, length, velocity). Length and velocity are the moment arms times those of
    the joints. Control and force are clamped to their ranges.

    >>> from rbd.mjcf import parse_mjcf
    >>> report = MjcfReport()
    >>> disc = parse_mjcf('''<mujoco><worldbody><body><joint name="axle"/><geom size="1"/></body></worldbody>
    ...   <actuator><position name="servo" joint="axle" kp="5"/></actuator></mujoco>''', report=report)
    >>> report.actuators[0].name, report.actuators[0].gain, report.actuators[0].bias
    ('servo', (5.0, 0.0, 0.0), (0.0, -5.0, 0.0))
    """

    name: str | None
    moment_arms: MomentArms
    gain: FloatVec3
    bias: FloatVec3
    control_range: tuple[float, float]
    force_range: tuple[float, float]
    line: int


@final
@attrs.frozen
class CoordinateSpring:
    """A linear spring and damper, which acts on joints by `moment_arms`.

    Its length is the moment arms times the joint coordinates. The spring force is zero for lengths within `rest`.
    """

    moment_arms: MomentArms
    stiffness: float
    rest: tuple[float, float]
    damping: float = 0.0


@final
@attrs.frozen
class GravityCompensation:
    """A force at the centre of mass of a body that compensates a `share` of its weight.

    >>> from rbd.mjcf import parse_mjcf
    >>> report = MjcfReport()
    >>> balloon = parse_mjcf('''<mujoco><worldbody><body name="balloon" gravcomp="0.9"><freejoint/>
    ...   <geom size="1" mass="2"/></body></worldbody></mujoco>''', report=report)
    >>> report.gravity_compensations[0].body, report.gravity_compensations[0].share
    ('balloon', 0.9)
    """

    body: str
    share: float
    mass: float
    com: FloatVec3


@final
class MjcfWarning(UserWarning):
    """The mechanism lacks something in the file that affects its dynamics."""


@final
class MjcfReport(FileReport):
    """The findings of `load_mjcf`, and those parts of the file that a mechanism does not have.

    `ignored` lists elements without effect on the dynamics, such as cameras. `warnings` lists unsupported elements that
    affect the dynamics, and implausible values. `keyframes` are (q, v) by name; "qpos0" is the reference configuration,
    a keyframe of that name is called "qpos0#key". `controls` are the controls of keyframes, one number per actuator.
    `geoms` are all shapes, `pairs` the indices of those that may collide; `pair_friction` holds those pairs whose
    friction the file gives. `controller` uses `actuators`, `springs` and
    `gravity_compensations`; for the joints in `compensated_by_actuators` effort bounds hold with the compensation, too.

    >>> from rbd.mjcf import MjcfReport, parse_mjcf
    >>> report = MjcfReport()
    >>> ball = parse_mjcf('''<mujoco><worldbody><camera/><body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/>
    ...   </body></worldbody></mujoco>''', report=report)
    >>> [finding.element for finding in report.ignored], report.keyframes["qpos0"][0]
    (['worldbody > camera'], array([1., 0., 0., 0., 0., 0., 1.]))
    """

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self.time_step: float = 0.002
        self.keyframes: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self.controls: dict[str, NDArray[np.float64]] = {}
        self.actuators: list[Actuator] = []
        self.springs: list[CoordinateSpring] = []
        self.gravity_compensations: list[GravityCompensation] = []
        self.compensated_by_actuators: list[str] = []
        self.geoms: list[Geom] = []
        self.pairs: list[tuple[int, int]] = []
        self.pair_friction: dict[tuple[int, int], ContactFriction] = {}
        self._assets: Assets | None = None

    def set_assets(self, assets: Assets) -> None:
        """Take the assets of the file, which open files when `surface` or `heights` asks for them (internal)."""
        self._assets = assets

    def collision_model(self, mechanism: Mechanism, *, hull_points: int | None = None) -> CollisionModel:
        """Return the collision model of a mechanism that was read with this report.

        It has the planes, height fields, spheres, capsules, boxes, cylinders and ellipsoids that may collide, and the
        pairs of them whose distance is known; files of height fields are opened (`heights`). With `hull_points`, from 4
        to 128, it has all pairs of cylinders and ellipsoids, by hulls with so many corners (`Cylinder.hull_points`),
        and the convex hulls of meshes (`mesh_hull`), which opens their files; hulls may overlap only up to their radii.
        What is left out is listed in `ignored`. Each shape adds a frame to its body. Pairs of `condim` 4 have torsional
        friction, those of 6 rolling friction, too, those of 1 none at all; the coefficient of sliding is that of the
        step.

        >>> import rbd
        >>> from rbd.mjcf import MjcfReport, parse_mjcf
        >>> report = MjcfReport()
        >>> ball = parse_mjcf('''<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/>
        ...   <geom size="0.1"/></body></worldbody></mujoco>''', report=report)
        >>> state = rbd.MechanismState(ball, *report.keyframes["qpos0"])
        >>> round(float(report.collision_model(ball).distances(state)[0].value), 6)
        0.9
        """
        from rbd.mjcf.collisions import collision_model

        return collision_model(mechanism, self, hull_points)

    def mesh_hull(self, geom: Geom, points: int = 32, *, rounding: float = 1e-3) -> MeshHull:
        """Return the convex hull of a mesh, of its farthest vertices, in the frame of its geom; this opens its file.

        There are at most `points`, from 4 to 128, or fewer if `maxhullvert` of the mesh says so. Faces are where those
        of these vertices are; edges have the radius `rounding` (m), less if the hull is thin, which cuts sharp corners
        by more. Flat meshes and those thinner than 1e-8 of their extent are rounded on both sides, meshes of more than
        500 km by more than a millimetre. Raises ArgumentError, and what `surface` does.

        >>> from rbd.mjcf import parse_mjcf
        >>> report = MjcfReport()
        >>> model = parse_mjcf('''<mujoco><asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
        ...   <geom type="mesh" mesh="tip" mass="0"/></worldbody></mujoco>''', report=report)
        >>> hull = report.mesh_hull(report.geoms[0])
        >>> len(hull.points), hull.radius
        (4, 0.001)
        """
        from rbd.contact.geometry.convex_hulls import checked_hull_points

        max_points, radius = checked_hull_points(points, "points"), above_zero(rounding, "rounding")
        name, assets = self._mesh_of(geom, "mesh_hull")
        return assets.hull(name, self.surface(geom)[0], max_points, radius)

    def surface(self, geom: Geom) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return the vertices (n, 3) and triangles (m, 3) of a mesh, in the frame of its geom; this opens its file.

        Raises ArgumentError for another shape than a mesh; MjcfError, such as MjcfPathError, when the file is missing
        or outside the directory of the model, or is no mesh.

        >>> from rbd.mjcf import parse_mjcf
        >>> report = MjcfReport()
        >>> model = parse_mjcf('''<mujoco><asset><mesh name="tip" vertex="0 0 0 1 0 0 0 1 0 0 0 1"
        ...   face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset><worldbody><geom type="mesh" mesh="tip" mass="0"/></worldbody>
        ... </mujoco>''', report=report)
        >>> vertices, triangles = report.surface(report.geoms[0])
        >>> vertices.shape, triangles.shape
        ((4, 3), (4, 3))
        """
        name, assets = self._mesh_of(geom, "surface")
        vertices, triangles = assets.surface(name)
        return vertices - np.array(geom.mesh_origin), triangles

    def heights(self, geom: Geom) -> NDArray[np.float64]:
        """Return the heights of a height field (m) at the points of its grid, `heights[i, j]` at x and y of its geom.

        The grid reaches from -size to size of the geom along both axes, as that of `rbd.contact.HeightField` does. A
        PNG image, a binary file, or the file itself has the heights; without, they are zero. Raises ArgumentError for
        another shape than a height field, and MjcfError for files that are missing or have no heights.

        >>> from rbd.mjcf import parse_mjcf
        >>> report = MjcfReport()
        >>> model = parse_mjcf('''<mujoco><asset><hfield name="ramp" nrow="2" ncol="3" elevation="0 1 2 0 1 2"
        ...   size="1 1 0.5 0.1"/></asset><worldbody><geom type="hfield" hfield="ramp"/></worldbody></mujoco>''',
        ...   report=report)
        >>> report.heights(report.geoms[0])
        array([[0.  , 0.  ],
               [0.25, 0.25],
               [0.5 , 0.5 ]])
        """
        assets = self._assets_of(geom, "heights")
        if geom.height_field is None:
            raise ArgumentError(f"geom is {with_article(geom.shape)}, not an hfield", argument="geom", value=geom)
        return assets.heights(geom.height_field)

    def _mesh_of(self, geom: Geom, operation: str) -> tuple[str, Assets]:
        """Return the name of a mesh, and the assets; raise ArgumentError for another shape."""
        assets = self._assets_of(geom, operation)
        if geom.mesh is None:
            raise ArgumentError(f"geom is {with_article(geom.shape)}, not a mesh", argument="geom", value=geom)
        return geom.mesh, assets

    def _assets_of(self, geom: Geom, operation: str) -> Assets:
        """Return the assets; raise ArgumentError for a geom of another report."""
        require_kind(geom, Geom, operation=f"MjcfReport.{operation}", argument="geom")
        if self._assets is None or not any(each is geom for each in self.geoms):
            raise ArgumentError("geom is of another report", argument="geom", value=geom, allowed="one of `geoms`")
        return self._assets

    def controller(self, mechanism: Mechanism, control: Control = None) -> MjcfController:
        """Return a controller for `simulate` with the actuators, springs and gravity compensation of the file.

        `control` is one number per actuator, or a function of (t, state) that returns them; zeros by default. It may be
        called in a function that `rbd.record` records, with an input of the function as `control`.

        >>> import rbd
        >>> from rbd.mjcf import MjcfReport, parse_mjcf
        >>> report = MjcfReport()
        >>> arm = parse_mjcf('''<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
        ...   <actuator><position joint="j" kp="20" kv="2"/></actuator></mujoco>''', report=report)
        >>> report.controller(arm, [0.5])(0.0, rbd.MechanismState(arm))
        array([10.])
        """
        from rbd.mjcf.controller import MjcfController

        return MjcfController(mechanism, self, control)

    @override
    def counts(self) -> dict[str, int]:
        return {
            "ignored": len(self.ignored), "warnings": len(self.warnings), "keyframes": len(self.keyframes),
            "geoms": len(self.geoms),
        }  # fmt: skip
