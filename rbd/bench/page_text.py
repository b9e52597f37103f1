"""Text of the Markdown page: the quantities measured, and the methods."""

from __future__ import annotations

INTRODUCTION = """\
This page is the output of `rbd bench --markdown FILE`: the results of one run on one machine, without selection.
Other engines are measured if they are installed.

All contenders of a table of algorithms compute the same 128 random states of the same robot, without friction, damping
and armature; its parameters are passed in memory. Results are compared before they are timed: *difference* is the
largest difference from rbd's result, relative to its largest entry, and a dash where motions cannot be compared.
Contenders take turns in windows of about a millisecond.
*Time per state* is the median of all windows, *best* the shortest. For one thread it is processor time, which excludes
other programs. For two threads it is wall time, and a pause before each window lets the previous contender's threads
stop waiting actively. *× Pinocchio* is the speedup over Pinocchio: the median over neighbouring windows.

* `rbd kernel`: the machine code for one state in a native loop, without Python; it writes every result to new memory,
  as calls that return new arrays do.
* `rbd`: a method of `rbd.compile(mechanism)` called from Python. It returns a new array; with two threads, it writes to
  an existing one.
* *Column order*: arrays from `numpy.asfortranarray`, into existing arrays of the same order; `rbd, row order` is the
  same call with contiguous rows. *Fused multiply-adds at the peak* are as many operations per state as the algorithm
  has, on full vectors without loads and stores; their time as a share of rbd's is the share of the processor's peak.
* *Values with frames*: `Transform(from_frame, to_frame, rotation, translation)`, `@`, `inverse()`, `log()`, `exp()`,
  `.matrix`, all checked; in Pinocchio `SE3`, `*`, `inverse()`, `log6`, `exp6`, `.homogeneous`, which have no frames.
* `rbd state`: `set_configuration`, `set_velocity`, `mass_matrix` and `dynamics` of a `MechanismState`.
  For a mechanism with loops, `set_configuration`, `set_velocity` and `dynamics`. Frame queries: `transform_to_root` and
  `geometric_jacobian` in a frame fixed to the last body, `twist` and `bias_acceleration` of that body, `relative_twist`
  of the frame and the body in the middle, `point_jacobian`, `center_of_mass`; *as a matrix* reads `.matrix` of the
  result. *Operational-space control of a frame* asks for Jacobian, twist, pose, `mass_matrix` and `dynamics_bias`, and
  solves with numpy.
* `Pinocchio`: its functions called from Python; for many states, in a loop that discards results. *Its threads* are
  `rneaInParallel` and `abaInParallel`, which write to an existing array.
  With loops, `constraintDynamics`, solved to 1e-12, at states with closed loops.
* The hand's loop is that of the contact exercise: PD control, distances of four pairs, impacts, a quadratic program,
  integration. *Control recorded* has the control in machine code; in all other contenders it is a Python function.
  `Pinocchio, coal and quadprog` is the same loop with these libraries. Distances of capsules with their Jacobian rows
  are two calls for all configurations in rbd, and a Python loop in the other contenders.
* *Robots on the ground* are those of `mjlab`, if it is installed. Both engines read the same file, put the feet on the
  same plane, and step from the same states with the same proportional control, armature, implicit joint damping and
  joint limits. One row has rbd's steps with Coulomb friction, one its compliant contact; MuJoCo has one model, at its
  default accuracy. As contact models differ, motions differ by millimetres. Many robots: `rbd.rollout.Worlds` with the
  control recorded, and `mujoco.rollout` with position actuators. One robot: `ContactSimulator` and `mj_step`, with the
  same control as a Python function.
* *A simulation with a control in Python* takes 1000 steps without contact; the control returns zeros. `simulate` calls
  it at every stage, four times per step of fourth-order Runge-Kutta; a loop in Python calls it, and `step` of the
  compiled robot, once per step. A quadruped on compliant feet holds its stance by PD control, called once per step of
  1 ms.
* *Ten steps from Python* are one call of `rollout` of the compiled robot, or ten calls of `step` with its integrator as
  a keyword; torques are constant.
* *Worlds* are quadrupeds of rbd on the ground, with the control recorded: `rbd.rollout.Worlds` steps all of them in one
  call. *One robot after the other* takes all steps of one robot in one call, on one thread, in a loop over robots.
* `MuJoCo` elsewhere: `mj_kinematics`, `mj_inverse`, `mj_forward` and similar functions called from Python, without
  contacts and constraints. They compute more than the compared quantities.
* `CasADi kernel`: C code that CasADi generates from rbd's expression graph, compiled with `-O3 -march=native`, in the
  same native loop. It is omitted for graphs that call solvers, which CasADi's expressions do not have, and above 20 000
  operations, for which a C compiler takes minutes.
* *In a new process*: the import of rbd, and of the packages that it imports alone, with byte code present, in processor
  time; then, with an empty disk cache, the total of the first calls of a live state of rbd's humanoid, and the longest
  later call, both in wall time, which includes waiting for the compiler thread.
* *Operations* are those for one state; a fused multiply-add counts as two. The derivatives of a humanoid's forward
  dynamics call one solver for all columns. It treats zeros and padded columns as dense; they are half of this count.
"""
BUSY = """\
The machine was shared with other programs: a load of {:g} on {} cores. They also shared caches and memory, so times are
longer than on an idle machine. Two threads did not have two cores, so times of two threads are the least reliable."""
