"""Attributes of elements: those that are honoured, and those that do not change how the mechanism moves."""

from __future__ import annotations

from typing import Final

ORIENTATION: Final = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_ORIENTATION_WORDS: Final = " ".join(ORIENTATION)
ATTRIBUTES: Final = {
    "compiler": _words(
        "angle eulerseq autolimits inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia",
        "settotalmass fitaabb alignfree strippath meshdir assetdir coordinate",
    ),
    "option": _words("gravity timestep density viscosity wind actuatorgroupdisable"),
    "flag": _words(
        "gravity constraint equality frictionloss limit contact passive spring damper clampctrl filterparent actuation",
    ),
    "body": _words("name childclass pos mocap gravcomp", _ORIENTATION_WORDS),
    "worldbody": _words(),
    "frame": _words("name childclass pos", _ORIENTATION_WORDS),
    "replicate": _words("count offset euler sep childclass"),
    "inertial": _words("pos mass diaginertia fullinertia", _ORIENTATION_WORDS),
    "joint": _words(
        "name class type pos axis ref springref springdamper stiffness damping frictionloss armature range limited",
        "actuatorfrcrange actuatorfrclimited actuatorgravcomp",
    ),
    "freejoint": _words("name align"),
    "geom": _words(
        "name class type pos size fromto mass density shellinertia mesh hfield fitscale group contype conaffinity",
        "friction condim priority rgba material",
        _ORIENTATION_WORDS,
    ),
    "site": _words("name class pos fromto size type", _ORIENTATION_WORDS),
    "mesh": _words("name class file scale refpos refquat inertia vertex face maxhullvert builtin"),
    "hfield": _words("name file size nrow ncol elevation content_type"),
    "equality": _words("active"),
    "connect": _words("name class active body1 body2 anchor site1 site2"),
    "weld": _words("name class active body1 body2 anchor relpose site1 site2"),
    "equality joint": _words("name class active joint1 joint2 polycoef"),
    "tendon joint": _words("joint coef"),
    "pair": _words("name class geom1 geom2 friction condim"),
    "exclude": _words("name body1 body2"),
    "actuator": _words(
        "name class joint jointinparent tendon site cranksite body gear ctrlrange ctrllimited forcerange forcelimited",
        "inheritrange kp kv dampratio timeconst dyntype gaintype biastype gainprm biasprm armature",
    ),
    "tendon": _words(
        "name class stiffness damping springlength frictionloss armature range limited actuatorfrcrange",
        "actuatorfrclimited",
    ),
    "key": _words("name time qpos qvel ctrl act mpos mquat"),
}
"""Attributes that are read of each element."""

_OF_APPEARANCE: Final = _words("rgba material user group smoothnormal castshadow texcoord normal")
_OF_UNSUPPORTED_ELEMENTS: Final = _words(
    "refsite slidersite cranklength diameter dynprm lmin lmax vmax fpmax fvmax tausmooth fluidshape",
    "content_type params area bias gain range force scale",
)
_CONSTRAINT: Final = "solref solimp"
_LIMITS_AND_FRICTION: Final = "margin solreflimit solimplimit solreffriction solimpfriction"
_WITHOUT_EFFECT: Final = {
    "compiler": _words(
        "conflict discardvisual fusestatic passthrough savecanonical savecompiled saveinertial texturedir usethread",
    ),
    "option": _words(
        "apirate ccd_iterations ccd_tolerance collision cone impratio integrator iterations jacobian ls_iterations",
        "ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance o_friction o_margin",
        "o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver tolerance",
    ),
    "flag": _words(
        "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd override",
        "refsafe sensor sleep speculative warmstart",
    ),
    "body": _words("fuse simple sleep user"),
    "joint": _words("group user", _LIMITS_AND_FRICTION),
    "freejoint": _words("group"),
    "geom": _words("adhesion castshadow fluidcoef fluidshape gap margin solmix surfacevel user", _CONSTRAINT),
    "site": _words("group material rgba user"),
    "mesh": _words("content_type material normal params smoothnormal texcoord"),
    "connect": _words(_CONSTRAINT),
    "weld": _words("torquescale", _CONSTRAINT),
    "equality joint": _words(_CONSTRAINT),
    "equality": _words(_CONSTRAINT),
    "pair": _words("adhesion gap margin solreffriction", _CONSTRAINT),
    "actuator": _words(
        "actdim actearly actlimited actrange area bias cranklength diameter dynprm force fpmax fvmax gain group",
        "lengthrange lmax lmin range refsite scale slidersite tausmooth user vmax",
    ),
    "tendon": _words("group material rgba user width", _LIMITS_AND_FRICTION),
}


def _reason(attribute: str) -> str:
    """Return why an attribute has no effect."""
    if attribute in _OF_APPEARANCE:
        return "appearance"
    left_out = attribute in _OF_UNSUPPORTED_ELEMENTS
    return "of a kind of element that the reader leaves out" if left_out else "a setting of MuJoCo's compiler or solver"


WITHOUT_EFFECT: Final = {
    kind: {attribute: _reason(attribute) for attribute in sorted(_WITHOUT_EFFECT.get(kind, ()))} for kind in ATTRIBUTES
}
"""Attributes of each element that do not change how the mechanism moves, with the reason."""

SECTIONS_WITHOUT_EFFECT: Final = _words("visual statistic sensor custom size extension")
CHILDREN_WITHOUT_EFFECT: Final = _words("camera light")
DEFAULTS_WITHOUT_EFFECT: Final = _words("camera light material texture")
CHILDREN: Final = {
    **dict.fromkeys(("flag", "inertial", "joint", "freejoint", "site", "hfield", "connect", "weld"), _words()),
    **dict.fromkeys(("pair", "exclude", "key", "general", "motor", "position", "velocity", "damper"), _words()),
    "compiler": _words("lengthrange"),
    "option": _words("flag"),
    "geom": _words("plugin"),
    "mesh": _words("plugin"),
    "fixed": _words("joint"),
    "spatial": _words("site geom pulley"),
}
"""The children of elements; those of a body, a class or a section are checked where they are read."""
SECTIONS: Final = _words(
    "compiler option size visual statistic default extension custom asset worldbody contact deformable equality tendon",
    "actuator sensor keyframe",
)
