"""Models of our own, one per feature of the format, and the meshes they name."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np


def model(inside: str, *, before: str = "", after: str = "") -> str:
    """A model with this world body."""
    return f"<mujoco>{before}<worldbody>{inside}</worldbody>{after}</mujoco>"


def body(inside: str, *, joint: str = '<joint axis="0 1 0"/>', head: str = "") -> str:
    """A model of one body on a joint."""
    return model(f'<body name="b" pos="0.1 0.2 0.3" euler="10 20 30">{joint}{inside}</body>', before=head)


GEOMS = {
    "sphere": '<geom size="0.1" pos="0.1 0 0.02"/>',
    "capsule": '<geom type="capsule" size="0.05 0.2" euler="20 30 0"/>',
    "capsule between points": '<geom type="capsule" fromto="0 0 0 0.3 0.1 -0.2" size="0.04"/>',
    "cylinder": '<geom type="cylinder" size="0.05 0.2" zaxis="1 1 0.2"/>',
    "cylinder between points": '<geom type="cylinder" fromto="0 0 0.1 0 0 -0.4" size="0.04"/>',
    "ellipsoid": '<geom type="ellipsoid" size="0.05 0.1 0.2" axisangle="1 2 3 40"/>',
    "ellipsoid between points": '<geom type="ellipsoid" fromto="0 0 0 0.3 0.1 -0.2" size="0.04"/>',
    "box": '<geom type="box" size="0.05 0.1 0.2" xyaxes="1 0.2 0 0 1 0.5"/>',
    "box between points": '<geom type="box" fromto="0 0 0 0 0.1 0.2" size="0.03"/>',
    "several": '<geom size="0.1" mass="2"/><geom type="box" size="0.1 0.2 0.3" pos="0.5 0 0" density="200"/>',
    "mass": '<geom type="box" size="0.1 0.2 0.3" mass="3" density="7"/>',
    "no mass": '<geom size="0.1"/><geom size="0.2" mass="0"/><geom size="0.3" density="0"/>',
}
SHELLS = {
    f"shell of a {kind}": f'<geom type="{kind}" size="{size}" shellinertia="true" pos="0.1 0.2 0"/>'
    for kind, size in (
        ("sphere", "0.1"),
        ("capsule", "0.05 0.2"),
        ("cylinder", "0.05 0.2"),
        ("ellipsoid", "0.1 0.2 0.3"),
        ("box", "0.1 0.2 0.3"),
    )
}

ROD = '<geom type="capsule" fromto="0 0 0 0.3 0.1 0.05" size="0.03"/>'
JOINTS = {
    "hinge": '<joint axis="1 2 3" pos="0.1 0.2 0.3" ref="30" armature="0.2" damping="0.3" frictionloss="0.1"/>',
    "slide": '<joint type="slide" axis="1 2 3" pos="0.1 0.2 0.3" ref="0.3" armature="0.2"/>',
    "ball": '<joint type="ball" pos="0.1 0.2 0.3" armature="0.2"/>',
    "free": "<freejoint/>",
    "free joint with armature": '<joint type="free" armature="0.2"/>',
    "three hinges": '<joint axis="1 0 0"/><joint axis="0 1 0" pos="0.1 0 0"/><joint axis="0 0 1" ref="20"/>',
    "slides and a hinge": '<joint type="slide" axis="1 0 0"/><joint type="slide"/><joint axis="0 1 0" pos="0 0.1 0"/>',
    "slides and a ball": '<joint type="slide" axis="1 1 0" ref="0.1"/><joint type="ball" pos="0.1 0 0"/>',
    "no joint": "",
}

CUBE = "0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1"
SLAB = " ".join(str(0.1 * (k % 3 + 1) * float(c)) for k, c in enumerate(CUBE.split()))
FACES = "0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5"


def meshed(asset: str, geom: str, compiler: str = "") -> str:
    return body(geom, head=f"<compiler {compiler}/><asset>{asset}</asset>")


def mesh(**attributes: str) -> str:
    said = " ".join(f'{key}="{value}"' for key, value in {"name": "m", "vertex": SLAB, **attributes}.items())
    return f"<mesh {said}/>"


SHAPE = '<geom type="mesh" mesh="m" pos="0.1 0 0" euler="0 20 10"/>'
MESHES = {
    **{
        f"mesh, {way}": meshed(mesh(face=FACES, inertia=way), SHAPE) for way in ("legacy", "exact", "convex", "shell")
    },
    "mesh, its hull": meshed(mesh(), SHAPE),
    "mesh, scaled": meshed(mesh(face=FACES, scale="1 2 0.5"), SHAPE),
    "mesh, mirrored": meshed(mesh(face=FACES, scale="1 -2 0.5"), SHAPE),
    "mesh, moved": meshed(mesh(face=FACES, refpos="0.1 0.2 0.3", refquat="1 0.2 0.3 0.4"), SHAPE),
    "mesh with a mass": meshed(mesh(face=FACES), '<geom type="mesh" mesh="m" mass="2"/>'),
    "mesh of a class": meshed(
        mesh(face=FACES), SHAPE, "/><default><mesh scale='2 2 2'/></default><compiler"
    ),
    **{
        f"{shape} fitted to a mesh{' box' * fit}": meshed(
            mesh(face=FACES),
            f'<geom type="{shape}" mesh="m" fitscale="1.1"/>',
            f'fitaabb="{"true" if fit else "false"}"',
        )
        for shape in ("sphere", "capsule", "cylinder", "ellipsoid", "box")
        for fit in (False, True)
    },
    **{
        f"mesh in {name}": meshed(f'<mesh file="{name}"/>', '<geom type="mesh" mesh="slab"/>', 'meshdir="meshes"')
        for name in ("slab.stl", "slab.obj", "slab.msh")
    },
    "mesh with its path taken off": meshed(
        '<mesh file="elsewhere/slab.stl"/>', '<geom type="mesh" mesh="slab"/>', 'assetdir="meshes" strippath="true"'
    ),
}  # fmt: skip

INERTIALS = {
    "inertial": '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25"/>',
    "inertial, turned": '<inertial pos="0.1 0 0" euler="10 20 30" mass="2" diaginertia="0.1 0.2 0.25"/>',
    "inertial, full": '<inertial pos="0.1 0 0" mass="2" fullinertia="0.1 0.2 0.25 0.01 0.02 -0.03"/>',
    "inertial and geoms": '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.1 0.2 0.25"/><geom size="1"/>',
    "inertial in a frame": '<frame pos="1 0 0"><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.25"/></frame>',
}
BOTH = INERTIALS["inertial and geoms"] + '<geom size="0.5" group="3"/>'
COMPILERS = {
    "radians": body(ROD, joint='<joint ref="0.3" axis="0 1 0"/>', head='<compiler angle="radian"/>'),
    "degrees in a class": body(ROD, head='<default><joint ref="30"/></default>'),
    "eulerseq zyx": body(ROD, head='<compiler eulerseq="zyx"/>'),
    "eulerseq XyZ": body(ROD, head='<compiler eulerseq="XyZ"/>'),
    "eulerseq ZYX": body(ROD, head='<compiler eulerseq="ZYX"/>'),
    "inertia from geoms": body(BOTH, head='<compiler inertiafromgeom="true"/>'),
    "inertia not from geoms": body(BOTH, head='<compiler inertiafromgeom="false"/>'),
    "inertia from a group": body(BOTH, head='<compiler inertiafromgeom="true" inertiagrouprange="2 3"/>'),
    "balanced": body(
        '<inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.1 0.9"/>', head='<compiler balanceinertia="true"/>'
    ),
    "bounded": body(
        '<inertial pos="0.1 0 0" mass="0.01" diaginertia="0.01 0.02 0.02"/>',
        head='<compiler boundmass="0.5" boundinertia="0.015"/>',
    ),
    "of a total mass": body(ROD, head='<compiler settotalmass="10"/>'),
    "without gravity": body(ROD, head='<option><flag gravity="disable"/></option>'),
    "gravity": body(ROD, head='<option gravity="1 2 3"/>'),
    "autolimits": body(
        ROD, joint='<joint range="-30 30" limited="true" axis="1 0 0"/>', head='<compiler autolimits="false"/>'
    ),
    "two compilers": body(ROD, head='<compiler angle="radian"/><compiler eulerseq="zyx"/>'),
}

LINK = '<joint name="j{0}" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/>'
TREES = {
    "chain": model(
        f'<body name="a">{LINK.format(1)}<body name="b" pos="0.3 0 0">{LINK.format(2)}'
        f'<body name="c" pos="0.3 0 0" quat="1 1 0 0">{LINK.format(3)}</body></body></body>'
    ),
    "branches": model(
        f'<body name="a"><freejoint name="root"/><geom size="0.2"/><body name="b" pos="0.3 0 0">{LINK.format(1)}</body>'
        f'<body name="c" pos="-0.3 0 0">{LINK.format(2)}<body name="fixed" pos="0 0 0.2"><geom size="0.1"/></body>'
        "</body>"
        f'</body><body name="d" pos="0 2 0">{LINK.format(3)}</body>'
    ),
    "classes": model(
        '<body name="a" childclass="thick"><joint axis="0 1 0"/><geom fromto="0 0 0 0.3 0 0"/>'
        '<body name="b" pos="0.3 0 0"><joint class="main" axis="1 0 0"/><geom class="thin" fromto="0 0 0 0 0 0.3"/>'
        '<geom class="thin" size="0.02" fromto="0 0 0 0 0.1 0.1"/></body></body>',
        before='<default><geom type="capsule" size="0.03 0.1" density="500"/><joint armature="0.1"/>'
        '<default class="thick"><geom size="0.1"/><joint armature="0.3"/>'
        '<default class="thin"><geom size="0.01" density="2000"/></default></default></default>',
    ),
    "sizes of a class": model(
        '<body name="a"><joint axis="0 1 0"/><geom size="0.2"/><geom size="0.2 0.3" pos="1 0 0"/></body>',
        before='<default><geom type="box" size="0.1 0.2 0.3"/></default>',
    ),
    "orientation of a class": model(
        '<body name="a"><joint axis="0 1 0"/><geom/><geom euler="10 20 30" pos="1 0 0"/></body>',
        before='<default><geom type="box" size="0.1 0.2 0.3" quat="1 2 3 4"/></default>',
    ),
    "frames": model(
        '<frame pos="1 0 0" euler="0 0 90"><body name="a" pos="0 0.1 0"><frame pos="0 0 0.1" euler="0 90 0">'
        f'{LINK.format(1)}<frame quat="1 1 0 0"><body name="b" pos="0.3 0 0">{LINK.format(2)}</body>'
        '<geom type="box" size="0.1 0.2 0.3"/></frame></frame></body></frame>'
    ),
    "frame of a class": model(
        '<frame childclass="heavy"><body name="a"><joint axis="0 1 0"/><geom size="0.1"/></body></frame>',
        before='<default><default class="heavy"><geom density="5000"/></default></default>',
    ),
    "replicas": model(
        '<replicate count="3" offset="0.5 0 0" euler="0 0 40" sep="-"><body name="a" pos="0 0.1 0">'
        '<joint name="j" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></replicate>'
    ),
    "replicas of replicas": model(
        '<body name="base"><joint axis="0 0 1"/><replicate count="2" euler="0 0 180"><replicate count="2" '
        'offset="0.1 0 0"><geom size="0.05" pos="0.5 0 0"/></replicate></replicate></body>'
    ),
    "nameless": model(f'<body><joint axis="0 1 0"/>{ROD}<body pos="0.1 0 0"><joint/>{ROD}</body></body>'),
    "rotor": body(ROD, joint='<joint name="j" axis="0 1 0" armature="0.1"/>').replace(
        "</mujoco>", '<actuator><motor joint="j" gear="3" armature="0.02"/></actuator></mujoco>'
    ),
    "mocap": model(
        f'<body name="m" mocap="true" pos="1 0 0"><geom size="0.1"/></body><body name="b">{LINK.format(1)}</body>'
    ),
    "connected": model(
        f'<body name="a">{LINK.format(1)}</body><body name="b" pos="0 0 0.3">{LINK.format(2)}</body>',
        after='<equality><connect body1="a" body2="b" anchor="0.3 0 0"/></equality>',
    ),
}  # fmt: skip

MODELS = {
    **{f"geom: {name}": body(geom) for name, geom in {**GEOMS, **SHELLS}.items()},
    **{f"joint: {name}": body(ROD, joint=joint) for name, joint in JOINTS.items()},
    **{f"body: {name}": body(inertial) for name, inertial in INERTIALS.items()},
    **MESHES,
    **{f"compiler: {name}": text for name, text in COMPILERS.items()},
    **{f"tree: {name}": text for name, text in TREES.items()},
}


def write_meshes(directory: Path) -> None:
    """Write the slab in all three formats into `meshes` below a directory."""
    folder = directory / "meshes"
    folder.mkdir(exist_ok=True)
    points = np.array(SLAB.split(), dtype=np.float32).reshape(-1, 3)
    faces = np.array(FACES.split(), dtype=np.int32).reshape(-1, 3)
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *points[face].ravel(), 0) for face in faces)
    (folder / "slab.stl").write_bytes(b"\0" * 80 + struct.pack("<i", len(faces)) + triangles)
    header = struct.pack("<4i", len(points), 0, 0, len(faces))
    (folder / "slab.msh").write_bytes(header + points.tobytes() + faces.tobytes())
    lines = [f"v {x!s} {y!s} {z!s}" for x, y, z in points] + [f"f {a + 1}//1 {b + 1} {c + 1}/1" for a, b, c in faces]
    (folder / "slab.obj").write_text("\n".join(["o slab", *lines]), encoding="utf-8")
