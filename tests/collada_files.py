"""COLLADA documents for tests: written here, since pycollada's writer warns with NumPy 2.5."""

from __future__ import annotations

import itertools

TRIANGLES = "0 1 3 0 3 2  4 6 7 4 7 5  0 4 5 0 5 1  2 3 7 2 7 6  0 2 6 0 6 4  1 5 7 1 7 3"
_MATERIALS = """<library_images><image id="image"><init_from>texture.png</init_from></image></library_images>
  <library_effects><effect id="effect"><profile_COMMON>
    <newparam sid="surface"><surface type="2D"><init_from>image</init_from></surface></newparam>
    <newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
    <technique sid="common"><lambert><diffuse>{diffuse}</diffuse></lambert></technique>
  </profile_COMMON></effect></library_effects>
  <library_materials><material id="paint"><instance_effect url="#effect"/></material></library_materials>
  """
_BOUND = """<bind_material><technique_common>
      <instance_material symbol="paint" target="#paint"/></technique_common></bind_material>"""


def box_document(x: float, y: float, z: float, diffuse: str = "") -> bytes:
    """Return a COLLADA document of one box, centred at the origin, in metres; `diffuse` is the content of <diffuse>.

    A texture is that of the sampler "sampler", of the file "texture.png".
    """
    materials = _MATERIALS.format(diffuse=diffuse) if diffuse else ""
    bound = _BOUND if diffuse else ""
    corners = itertools.product((-x / 2, x / 2), (-y / 2, y / 2), (-z / 2, z / 2))
    numbers = " ".join(str(number) for corner in corners for number in corner)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="metre" meter="1"/><up_axis>Z_UP</up_axis></asset>
  {materials}<library_geometries><geometry id="box"><mesh>
    <source id="corners">
      <float_array id="numbers" count="24">{numbers}</float_array>
      <technique_common><accessor source="#numbers" count="8" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common>
    </source>
    <vertices id="vertices"><input semantic="POSITION" source="#corners"/></vertices>
    <triangles count="12" material="paint">
      <input semantic="VERTEX" source="#vertices" offset="0"/><p>{TRIANGLES}</p>
    </triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene">
    <node id="node"><instance_geometry url="#box">{bound}</instance_geometry></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
""".encode()
