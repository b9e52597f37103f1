"""Faulty models: text, the error that refuses it, its line, and a part of the message. `inside` starts in line 2."""

from __future__ import annotations

from typing import NamedTuple

SYNTAX, REFUSED, VALUE, TOPOLOGY, PATH = (f"Mjcf{k}Error" for k in ("Syntax", "Refused", "Value", "Topology", "Path"))


class Fault(NamedTuple):
    """A faulty model and how it must be refused."""

    text: str
    error: str
    line: int
    fragment: str


def inside(text: str, error: str, fragment: str, line: int = 2, *, end: str = "") -> Fault:
    """What stands in the world; its first line is line 2."""
    return Fault(f"<mujoco><worldbody>\n{text}\n</worldbody>{end}</mujoco>", error, line, fragment)


def section(text: str, error: str, fragment: str, line: int = 2) -> Fault:
    """What stands beside the world of two bodies; its first line is line 2."""
    world = (
        '<worldbody><geom name="floor" type="plane" size="1 1 1"/>'
        '<body name="a"><joint name="ja"/><geom name="ga" size="1"/><site name="sa"/></body>'
        '<body name="b"><joint name="jb"/><geom name="gb" size="1"/></body></worldbody>'
    )
    return Fault(f"<mujoco>\n{text}\n{world}</mujoco>", error, line, fragment)


def geom(attributes: str, fragment: str, error: str = VALUE) -> Fault:
    return inside(f"<body>\n<geom {attributes}/>\n</body>", error, fragment, 3)


def joint(attributes: str, fragment: str, error: str = VALUE) -> Fault:
    return inside(f"<body>\n<joint {attributes}/>\n<geom size='1'/></body>", error, fragment, 3)


def inertial(attributes: str, fragment: str) -> Fault:
    return inside(f"<body>\n<inertial {attributes}/>\n</body>", VALUE, fragment, 3)


VERTICES, FACES = "0 0 0 1 0 0 0 1 0 0 0 1", "0 2 1 0 1 3 0 3 2 1 2 3"


def mesh(attributes: str, fragment: str, error: str = VALUE) -> Fault:
    return Fault(
        f"<mujoco>\n<asset><mesh name='m' {attributes}/></asset>\n<worldbody><body><geom type='mesh' mesh='m'/></body>"
        "</worldbody></mujoco>",
        error, 2, fragment,
    )  # fmt: skip


def meshed(attributes: str, fragment: str, error: str = VALUE) -> Fault:
    return Fault(
        f"<mujoco><asset><mesh name='m' vertex='{VERTICES}' face='{FACES}'/></asset><worldbody><body>\n"
        f"<geom mesh='m' {attributes}/></body></worldbody></mujoco>",
        error, 2, fragment,
    )  # fmt: skip


def beside(kind: str, text: str, error: str, fragment: str) -> Fault:
    """What stands beside a world with one joint, `j`, of a kind; its first line is line 2."""
    world = f"<worldbody><body><joint name='j' type='{kind}'/><geom size='1'/></body></worldbody>"
    return Fault(f"<mujoco>{world}\n{text}</mujoco>", error, 2, fragment)


FAULTS = {
    "empty": Fault("", SYNTAX, 1, "no element found"),
    "truncated": Fault("<mujoco>\n<worldbody>", SYNTAX, 2, "no element found"),
    "mismatched tag": Fault("<mujoco>\n<worldbody></mujoco>", SYNTAX, 2, "mismatched tag"),
    "doctype": Fault("<!DOCTYPE mujoco>\n<mujoco/>", REFUSED, 1, "DOCTYPE"),
    "entity": Fault("<mujoco>\n&x;</mujoco>", SYNTAX, 2, "undefined entity"),
    "billion laughs": Fault(
        "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>\n<mujoco>&b;</mujoco>", REFUSED, 1, "DOCTYPE"
    ),
    "nul": Fault("<mujoco>\n\0</mujoco>", SYNTAX, 2, "NUL"),
    "latin-1": Fault("<?xml version='1.0' encoding='latin-1'?><mujoco/>", SYNTAX, 1, "UTF-8"),
    "other root": Fault("<sdf/>", SYNTAX, 1, "must be <mujoco>"),
    "urdf": Fault("<robot name='r'/>", SYNTAX, 1, "rbd.load_urdf"),
    "too deep": inside("<frame>" * 200 + "</frame>" * 200, REFUSED, "deeper than"),
    "too many attributes": inside("<body " + " ".join(f"a{k}='1'" for k in range(80)) + "/>", REFUSED, "80 attributes"),
    "include without a file": Fault("<mujoco>\n<include/></mujoco>", SYNTAX, 2, "'file' is missing"),
    "include with children": Fault("<mujoco>\n<include file='a.xml'><a/></include></mujoco>", SYNTAX, 2, "no children"),
    "include of nothing": Fault("<mujoco>\n<include file=''/></mujoco>", PATH, 2, "empty"),
    "include from a text": Fault("<mujoco>\n<include file='a.xml'/></mujoco>", PATH, 2, "directory="),
    "include with a drive": Fault("<mujoco>\n<include file='c:a.xml'/></mujoco>", PATH, 2, "drive letters"),
    "include with backslashes": Fault("<mujoco>\n<include file='a\\b.xml'/></mujoco>", PATH, 2, "backslashes"),
    "global coordinates": section("<compiler coordinate='global'/>", REFUSED, "2.3.3"),
    "angle": section("<compiler angle='grad'/>", VALUE, "'grad' is none of degree, radian"),
    "eulerseq": section("<compiler eulerseq='xyw'/>", VALUE, "xyz or XYZ"),
    "flag": section("<compiler autolimits='yes'/>", VALUE, "none of true, false"),
    "gravity of two": section("<option gravity='0 1'/>", VALUE, "needs 3 numbers, has 2"),
    "gravity of four": section("<option gravity='0 1 2 3'/>", VALUE, "has more"),
    "gravity, huge": section("<option gravity='0 0 1e40'/>", VALUE, "no physical quantity"),
    "number with a comma": geom("size='0,1'", "decimal point"),
    "number nan": geom("size='nan'", "is no number"),
    "number inf": geom("size='1' mass='inf'", "is no number"),
    "number hex": geom("size='0x10'", "is no number"),
    "number with an underscore": geom("size='1_0'", "is no number"),
    "number, too large": geom("size='1e999'", "too large"),
    "number, too long": geom(f"size='{'1' * 200}'", "longer than"),
    "outer class renamed": section("<default class='mine'/>", VALUE, "outermost class"),
    "class without a name": section("<default>\n<default/></default>", VALUE, "'class' is missing", 3),
    "class twice": section("<default><default class='x'/>\n<default class='x'/></default>", VALUE, "second class", 3),
    "unknown class": geom("class='x'", "no default class 'x'"),
    "unknown childclass": inside("<body childclass='x'/>", VALUE, "no default class 'x'"),
    "fault in a class": section("<default>\n<geom size='x'/></default>", VALUE, "'x' is no number", 3),
    "points of a class": section(
        "<default><default class='x'>\n<geom type='capsule' fromto='0 0 0 0 0 0'/></default></default>\n"
        "<worldbody><geom class='x'/></worldbody>",
        VALUE,
        "points are one",
        3,
    ),
    "points of a sphere's class": section(
        "<default>\n<geom fromto='0 0 0 0 0 1'/></default>", VALUE, "fromto is for", 3
    ),
    "mesh of a class": section("<default>\n<geom type='mesh' mesh='x'/></default>", VALUE, "no mesh 'x'", 3),
    "scale of a class": section(
        "<default>\n<mesh scale='1 0 1'/></default>\n<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
        "<worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>",
        VALUE,
        "scale is zero",
        3,
    ),
    "geom type": geom("type='cone' size='1'", "'cone' is none of"),
    "geom without a size": geom("type='box'", "3 positive numbers"),
    "ellipsoid without a size": geom("type='ellipsoid'", "an ellipsoid needs 3 positive numbers"),
    "geom, negative size": geom("size='-1'", "1 positive number"),
    "geom, negative mass": geom("size='1' mass='-1'", "is negative"),
    "geom, negative friction": geom("size='1' friction='0.5 -0.1'", "friction -0.1 is negative"),
    "pair, negative friction": section(
        "<contact>\n<pair geom1='ga' geom2='gb' friction='1 1 0 0 -0.2'/></contact>",
        VALUE,
        "friction -0.2 is negative",
        3,
    ),
    "geom, negative density": geom("size='1' density='-1'", "is negative"),
    "geom from a point to itself": geom("type='capsule' fromto='0 0 0 0 0 0' size='1'", "points are one"),
    "sphere from a point": geom("type='sphere' fromto='0 0 0 0 0 1' size='1'", "not for a sphere"),
    "geom turned twice": geom("size='1' euler='0 0 0' quat='1 0 0 0'", "both quat and euler"),
    "geom, zero quaternion": geom("size='1' quat='0 0 0 0'", "no direction"),
    "geom, zero axis": geom("size='1' zaxis='0 0 0'", "no direction"),
    "geom, parallel axes": geom("size='1' xyaxes='1 0 0 2 0 0'", "no direction"),
    "geom, unknown mesh": geom("type='mesh' mesh='m'", "no mesh 'm'"),
    "geom without its mesh": geom("type='mesh'", "needs the attribute 'mesh'"),
    "geom, unknown field": geom("type='hfield' hfield='h'", "no hfield 'h'"),
    "geom name twice": inside("<geom name='g' size='1'/>\n<geom name='g' size='1'/>", TOPOLOGY, "second", 3),
    "mesh without triangles' corners": mesh(f"vertex='{VERTICES}' face='0 1 9'", "no vertex"),
    "mesh of three vertices": mesh("vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'", "at least 4"),
    "hull of two vertices": mesh(
        f"vertex='{VERTICES}' maxhullvert='2'", "at least 4 vertices (-1: as many as there are)"
    ),
    "hull of some vertices": mesh(f"vertex='{VERTICES}' maxhullvert='x'", "maxhullvert: 'x' is no number"),
    "mesh, flat, without faces": mesh("vertex='0 0 0 1 0 0 0 1 0 1 1 0'", "it has no convex hull"),
    "mesh, flat": mesh("vertex='0 0 0 1 0 0 0 1 0 1 1 0' face='0 1 2 1 2 3'", "volume"),
    "mesh, inside out": mesh(f"vertex='{VERTICES}' face='0 1 2 0 3 1 0 2 3 1 3 2' inertia='exact'", "face inwards"),
    "mesh, half a vertex": mesh("vertex='0 0 0 1'", "three coordinates"),
    "mesh from a text": mesh("file='m.stl'", "directory=", PATH),
    "mesh made by MuJoCo": mesh("builtin='sphere' params='1'", "not supported", REFUSED),
    "mesh scaled to nothing": mesh(f"vertex='{VERTICES}' face='0 1 2' scale='1 0 1'", "scale is zero"),
    "mesh turned by nothing": mesh(f"vertex='{VERTICES}' refquat='0 0 0 0'", "refquat is zero"),
    "mesh from a point": meshed("type='mesh' fromto='0 0 0 0 0 1'", "a mesh has no fromto"),
    "shell of a mesh": meshed("type='mesh' shellinertia='true'", "attribute of the mesh"),
    "capsule beyond a mesh": meshed("type='capsule' fitscale='1e300'", "fitscale: 1e+300 is beyond"),
    "plane around a mesh": meshed("type='plane'", "no plane is fitted"),
    "field without a size": Fault(
        "<mujoco>\n<asset><hfield name='h'/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
        VALUE,
        2,
        "'size' is missing",
    ),
    "mesh twice": section("<asset><mesh name='m'/>\n<mesh name='m'/></asset>", VALUE, "a second mesh 'm'", 3),
    "mesh without a name": section("<asset>\n<mesh/></asset>", VALUE, "neither a name nor a file", 3),
    "a range of a ball that is no pair": joint("type='ball' range='1'", "needs 2 numbers"),
    "a range of a ball that is no number": joint("type='ball' limited='true' range='0 x'", "is no number"),
    "joint type": joint("type='screw'", "'screw' is none of"),
    "joint, zero axis": joint("axis='0 0 0'", "no direction"),
    "joint range reversed": joint("range='1 -1'", "not below"),
    "joint in the world": inside("<joint/>", TOPOLOGY, "does not move"),
    "joint name twice": inside(
        "<body><joint name='j'/><geom size='1'/></body>\n<body><joint name='j'/></body>",
        TOPOLOGY,
        "second",
        3,
    ),
    "joint beside a free one": inside("<body><freejoint/>\n<joint/></body>", TOPOLOGY, "no other", 3),
    "free joint below": inside("<body><body>\n<freejoint/></body></body>", TOPOLOGY, "child of the world", 3),
    "hinge after a ball": inside("<body><joint type='ball'/>\n<joint/></body>", TOPOLOGY, "after a ball joint", 3),
    "inertial in the world": inside("<inertial pos='0 0 0' mass='1'/>", TOPOLOGY, "does not move"),
    "inertial twice": inside(
        "<body><inertial pos='0 0 0' mass='1'/>\n<inertial pos='0 0 0' mass='1'/></body>", VALUE, "second", 3
    ),
    "inertial without a mass": inertial("pos='0 0 0'", "'mass' is missing"),
    "inertial without a place": inertial("mass='1'", "'pos' is missing"),
    "inertial, negative mass": inertial("pos='0 0 0' mass='-1'", "negative"),
    "inertial given twice": inertial(
        "pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'", "both fullinertia and diaginertia"
    ),
    "inertial turned and full": inertial("pos='0 0 0' mass='1' euler='0 0 0' fullinertia='1 1 1 0 0 0'", "and euler"),
    "body name twice": inside("<body name='x'/>\n<body name='x'/>", TOPOLOGY, "second body", 3),
    "body called world": inside("<body name='world'/>", TOPOLOGY, "second body 'world'"),
    "name with a control character": inside("<body name='a&#9;b'/>", VALUE, "control"),
    "name, too long": inside(f"<body name='{'x' * 300}'/>", VALUE, "300 characters"),
    "mocap below": inside("<body>\n<body mocap='true'/></body>", TOPOLOGY, "child of the world", 3),
    "mocap with a joint": inside("<body mocap='true'>\n<joint/></body>", TOPOLOGY, "no joints", 3),
    "replicate without a count": inside("<replicate/>", VALUE, "'count' is missing"),
    "replicate nothing": inside("<replicate count='0'/>", VALUE, "less than 1"),
    "replicate one and a half": inside("<replicate count='1.5'/>", VALUE, "no whole number"),
    "replicas without end": inside(
        "<replicate count='100'>" * 5 + "<geom size='1'/>" + "</replicate>" * 5, REFUSED, "elements"
    ),
    "connection to nothing": section(
        "<equality>\n<connect body1='c' anchor='0 0 0'/></equality>", TOPOLOGY, "no body 'c'", 3
    ),
    "connection without an anchor": section(
        "<equality>\n<connect body1='a'/></equality>", VALUE, "'anchor' is missing", 3
    ),
    "connection without a body": section("<equality>\n<connect/></equality>", VALUE, "'body1' is missing", 3),
    "connection with itself": section("<equality>\n<weld body1='a' body2='a'/></equality>", TOPOLOGY, "both ends", 3),
    "connection of sites": section(
        "<equality>\n<connect site1='sa' site2='x'/></equality>", TOPOLOGY, "no site 'x'", 3
    ),
    "coupling of nothing": section("<equality>\n<joint joint1='j'/></equality>", TOPOLOGY, "no joint 'j'", 3),
    "pair of nothing": section("<contact>\n<pair geom1='ga' geom2='x'/></contact>", TOPOLOGY, "no geom 'x'", 3),
    "exclusion of nothing": section("<contact>\n<exclude body1='a' body2='x'/></contact>", TOPOLOGY, "no body 'x'", 3),
    "actuator without a joint": section("<actuator>\n<motor/></actuator>", VALUE, "'joint' is missing", 3),
    "actuator of nothing": section("<actuator>\n<motor joint='x'/></actuator>", TOPOLOGY, "no joint 'x'", 3),
    "actuator of no tendon": section("<actuator>\n<motor tendon='x'/></actuator>", TOPOLOGY, "no tendon 'x'", 3),
    "tendon of nothing": section(
        "<tendon><fixed>\n<joint joint='x' coef='1'/></fixed></tendon>", TOPOLOGY, "no joint 'x'", 3
    ),
    "tendon without a factor": section(
        "<tendon><fixed>\n<joint joint='ja'/></fixed></tendon>", VALUE, "'coef' is missing", 3
    ),
    "springdamper, negative": joint("springdamper='1 -1'", "must be positive"),
    "springdamper, tiny": joint("springdamper='1e-200 1'", "their product is 1e-200 s"),
    "springdamper, tiny product": joint("springdamper='1e-320 1e-9'", "their product is 0 s"),
    "hull of a class": section(
        "<default>\n<mesh maxhullvert='2'/></default>\n"
        "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>",
        VALUE,
        "a hull has at least 4",
        3,
    ),
    "actuator range reversed": section(
        "<actuator>\n<motor joint='ja' ctrlrange='1 -1'/></actuator>", VALUE, "not below", 3
    ),
    "keyframe of another size": section("<keyframe>\n<key qpos='1 2 3'/></keyframe>", VALUE, "has more", 3),
    "flag of another word": section("<option>\n<flag gravity='off'/></option>", VALUE, "none of enable, disable", 3),
    "keyframe name twice": section("<keyframe><key name='k'/>\n<key name='k'/></keyframe>", TOPOLOGY, "second key", 3),
    "actuator name twice": section(
        "<actuator><motor name='m' joint='ja'/>\n<muscle name='m' joint='ja'/></actuator>", TOPOLOGY, "second", 3
    ),
    "rest of a tendon": section(
        "<default>\n<tendon springlength='0.3 0.1'/></default><tendon><fixed stiffness='1'>"
        "<joint joint='ja' coef='1'/></fixed></tendon>",
        VALUE,
        "springlength: 0.3 is above 0.1",
        3,
    ),
    "tendon name twice": section(
        "<tendon><fixed name='t'/>\n<spatial name='t'/></tendon>", TOPOLOGY, "a second tendon 't'", 3
    ),
    "constraint name twice": section(
        "<equality><weld name='w' body1='a'/>\n<weld name='w' body1='b'/></equality>", TOPOLOGY, "second", 3
    ),
    "controls of another number": section(
        "<actuator><motor joint='ja'/></actuator>\n<keyframe><key ctrl='1 2'/></keyframe>", VALUE, "ctrl", 3
    ),
    "keyframe that turns by nothing": beside("ball", "<keyframe><key qpos='0 0 0 0'/></keyframe>", VALUE, "is zero"),
    "tendon of a ball joint": beside(
        "ball", "<tendon><fixed><joint joint='j' coef='1'/></fixed></tendon>", VALUE, "hinges and slides"
    ),
    "keyframe, too short": section("<keyframe>\n<key qpos='1'/></keyframe>", VALUE, "the model has 2", 3),
}

# What only `strict=True` refuses.
STRICT_FAULTS = {
    "viscosity": section("<option viscosity='1'/>", REFUSED, "fluid"),
    "misspelt option": section("<option gravty='0 0 1'/>", REFUSED, "did you mean 'gravity'?"),
    "unknown option": section("<option>\n<flags/></option>", REFUSED, "did you mean 'flag'?", 3),
    "misspelt flag": section("<option>\n<flag gravty='disable'/></option>", REFUSED, "did you mean 'gravity'?", 3),
    "misspelt element of a class": section(
        "<default>\n<jiont damping='1'/></default>", REFUSED, "did you mean 'joint'?", 3
    ),
    "misspelt attribute of a class": section(
        "<default>\n<equality activ='true'/></default>", REFUSED, "did you mean 'active'?", 3
    ),
    "child of a joint": inside("<body><joint>\n<limit/></joint></body>", REFUSED, "unknown element 'limit'", 3),
    "child of a geom": inside("<geom size='1'>\n<plugin/><mass/></geom>", REFUSED, "unknown element 'mass'", 3),
    "child of an actuator": section(
        "<actuator><motor joint='ja'>\n<gear/></motor></actuator>", REFUSED, "unknown element 'gear'", 3
    ),
    "child of a tendon": section(
        "<tendon><fixed>\n<site site='sa'/></fixed></tendon>", REFUSED, "unknown element 'site'", 3
    ),
    "attribute of a tendon's joint": section(
        "<tendon><fixed>\n<joint joint='ja' coef='1' gear='2'/></fixed></tendon>", REFUSED, "unknown attribute", 3
    ),
    "unknown tendon": section("<tendon>\n<linear/></tendon>", REFUSED, "unknown element 'linear'", 3),
    "adhesion": section("<actuator>\n<adhesion body='a'/></actuator>", REFUSED, "an adhesion is not supported", 3),
    "unknown actuator": section("<actuator>\n<moter joint='ja'/></actuator>", REFUSED, "unknown actuator 'moter'", 3),
    "actuator at a site": section("<actuator>\n<motor site='sa'/></actuator>", REFUSED, "transmission by site", 3),
    "actuator with a state": section(
        "<actuator>\n<general joint='ja' dyntype='integrator'/></actuator>", REFUSED, "dyntype='integrator'", 3
    ),
    "actuator with a time constant": section(
        "<actuator>\n<position joint='ja' timeconst='0.1'/></actuator>", REFUSED, "timeconst is not supported", 3
    ),
    "actuator of a free joint": beside("free", "<actuator><motor joint='j'/></actuator>", REFUSED, "on a free joint"),
    "armature of a tendon": section(
        "<tendon><fixed name='t'><joint joint='ja' coef='1'/></fixed></tendon>"
        "<actuator>\n<motor tendon='t' armature='1'/></actuator>",
        REFUSED,
        "armature: it is supported on joints only",
        3,
    ),
    "unknown contact": section("<contact>\n<collide/></contact>", REFUSED, "unknown element 'collide'", 3),
    "unknown keyframe": section("<keyframe>\n<keys/></keyframe>", REFUSED, "did you mean 'key'?", 3),
    "unknown asset": section("<asset>\n<meshes/></asset>", REFUSED, "unknown asset 'meshes'", 3),
    "signed distance field": meshed("type='sdf'", "signed distance fields", REFUSED),
    "coarse hull": mesh(f"vertex='{VERTICES}' inertia='convex' maxhullvert='4'", "the whole convex hull", REFUSED),
    "unknown section": section("<actuators/>", REFUSED, "unknown section"),
    "inertial of replicas": inside(
        "<body><geom size='1'/><replicate count='2'><frame>\n<inertial mass='7'/></frame></replicate></body>",
        REFUSED, "an <inertial> in <replicate> is not read", 3,
    ),
    "unknown element": inside("<bodies/>", REFUSED, "unknown element 'bodies'"),
    "damping of an actuator": section(
        "<actuator>\n<motor joint='ja' damping='1'/></actuator>", REFUSED, "unknown attribute 'damping'", 3
    ),
    "misspelt attribute": geom("siez='1' size='1'", "did you mean 'size'?", REFUSED),
    "impossible inertia": inside(
        "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/></body>", VALUE, "principal moments"
    ),
    "negative damping": joint("damping='-1'", "negative"),
    "range without effect": Fault(
        "<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='-1 1'/></body></worldbody></mujoco>",
        VALUE, 2, "autolimits",
    ),
    "bounds of a ball joint": joint("type='ball' range='0 1'", "not bounded", REFUSED),
    "spring of a ball joint": joint("type='ball' stiffness='1'", "not supported", REFUSED),
    "polynomial damping": joint("damping='1 2 3'", "first coefficient", REFUSED),
    "springdamper of a ball joint": joint("type='ball' springdamper='1 1'", "not supported", REFUSED),
    "springdamper without inertia": inside(
        "<body><joint springdamper='1 1'/></body>", REFUSED, "the mass matrix is singular"
    ),
    "tendon constraint": section("<equality>\n<tendon tendon1='x'/></equality>", REFUSED, "not held", 3),
    "muscle": section("<actuator>\n<muscle joint='ja'/></actuator>", REFUSED, "left out", 3),
    "integrating actuator": section(
        "<actuator>\n<general joint='ja' dyntype='integrator'/></actuator>", REFUSED, "dyntype", 3
    ),
    "muscle of another kind": section(
        "<actuator>\n<general joint='ja' gaintype='muscle'/></actuator>", REFUSED, "gaintype", 3
    ),
    "servo of a ball joint": inside(
        "<body><joint name='j' type='ball'/><geom size='1'/></body>",
        REFUSED,
        "ball joint",
        5,
        end="\n<actuator>\n<position joint='j' kp='1'/></actuator>",
    ),
    "tendon along sites": section("<tendon>\n<spatial stiffness='1'/></tendon>", REFUSED, "stiffness", 3),
    "damping ratio without inertia": inside(
        "<body><joint name='j'/></body>",
        REFUSED,
        "dampratio: the mass matrix is singular",
        1,
        end="<actuator><position joint='j' kp='1' dampratio='1'/></actuator>",
    ),
    "bounded tendon": section(
        "<tendon>\n<fixed range='0 1'><joint joint='ja' coef='1'/></fixed></tendon>", REFUSED, "range", 3
    ),
    "actuator of a tendon along sites": section(
        "<actuator>\n<motor tendon='t'/></actuator><tendon><spatial name='t'/></tendon>", REFUSED, "along sites", 3
    ),
    "deformable": section("<deformable/>", REFUSED, "deformable"),
    "composite": inside("<body>\n<composite/></body>", REFUSED, "composites", 3),
    "flexcomp": inside("<flexcomp/>", REFUSED, "deformable"),
    "plugin": inside("<body>\n<plugin/></body>", REFUSED, "plugins", 3),
}  # fmt: skip
