"""Which attributes elements have: those that are honoured, and those that do not change how the mechanism moves."""

from __future__ import annotations

from typing import Final

ORIENTATION: Final = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_TURNED: Final = " ".join(ORIENTATION)
ATTRIBUTES: Final = {
    "compiler": _words(
        "angle eulerseq autolimits inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia",
        "settotalmass fitaabb alignfree strippath meshdir assetdir coordinate",
    ),
    "option": _words("gravity timestep density viscosity wind actuatorgroupdisable"),
    "flag": _words(
        "gravity constraint equality frictionloss limit contact passive spring damper clampctrl filterparent actuation",
    ),
    "body": _words("name childclass pos mocap gravcomp", _TURNED),
    "worldbody": _words("name childclass"),
    "frame": _words("name childclass pos", _TURNED),
    "replicate": _words("count offset euler sep childclass"),
    "inertial": _words("pos mass diaginertia fullinertia", _TURNED),
    "joint": _words(
        "name class type pos axis ref springref springdamper stiffness damping frictionloss armature range limited",
        "actuatorfrcrange actuatorfrclimited actuatorgravcomp",
    ),
    "freejoint": _words("name align"),
    "geom": _words(
        "name class type pos size fromto mass density shellinertia mesh hfield fitscale group contype conaffinity",
        "friction condim priority rgba material",
        _TURNED,
    ),
    "site": _words("name class pos fromto size type", _TURNED),
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
"""What is read of each element."""

_OF_APPEARANCE: Final = _words("rgba material user group smoothnormal castshadow texcoord normal")
_OF_THE_SOLVER: Final = _words(
    "solref solimp solmix solreflimit solimplimit solreffriction solimpfriction margin gap torquescale sleep",
    "simple lengthrange actlimited actrange actdim actearly width discardvisual fusestatic usethread saveinertial",
    "conflict texturedir fluidcoef passthrough savecanonical savecompiled adhesion surfacevel fuse",
    "apirate impratio magnetic o_margin o_solref o_solimp o_friction integrator collision cone jacobian solver",
    "iterations tolerance ls_iterations ls_tolerance noslip_iterations noslip_tolerance ccd_iterations ccd_tolerance",
    "mpr_iterations mpr_tolerance sdf_iterations sdf_initpoints sleep_tolerance",
    "warmstart refsafe sensor midphase nativeccd eulerdamp autoreset island multiccd override energy fwdinv",
    "invdiscrete diagexact ipc speculative",
)
_OF_PARTS_LEFT_OUT: Final = _words(
    "refsite slidersite cranklength diameter dynprm lmin lmax vmax fpmax fvmax tausmooth fluidshape",
    "content_type params area bias gain range force scale",
)
WITHOUT_EFFECT: Final = {
    **dict.fromkeys(sorted(_OF_APPEARANCE), "appearance"),
    **dict.fromkeys(sorted(_OF_THE_SOLVER), "a setting of MuJoCo's compiler or solver"),
    **dict.fromkeys(sorted(_OF_PARTS_LEFT_OUT), "of a kind of part that the reader leaves out, and names"),
}
"""Attributes that do not change how the mechanism moves."""

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
"""The children of elements; what stands in a body, a class or a section is checked where it is read."""
SECTIONS: Final = _words(
    "compiler option size visual statistic default extension custom asset worldbody contact deformable equality tendon",
    "actuator sensor keyframe",
)
