"""A rollout under MuJoCo: one call of MuJoCo and two of compiled code in a step."""

from typing import Any

import numpy as np

from footfall.core import mujoco as around
from footfall.core.call import KernelCall
from footfall.core.contact.decide import Control
from footfall.core.contact.loop import DIVERGED, DONE
from footfall.core.ground import Ground
from footfall.core.mujoco import Coupling, Touches
from footfall.engines.contact.build import ground_below
from footfall.engines.contact.rollout import ContactRollout, copied
from footfall.engines.contact.start import gaps_of
from footfall.engines.engine import Direct, Halt, Scenario
from footfall.engines.events import Outcome
from footfall.engines.mujoco.said import check_robot, check_world
from footfall.engines.mujoco.scene import Followers, Scene, build, load_mujoco, scene_of
from footfall.errors import SimulationError
from footfall.model.export import TOUCH
from footfall.model.layout import lift as lifted
from footfall.model.mjcf import mujoco_order
from footfall.world import Contact, Load, Push

ROOM = 64  # contacts, to begin with
ROWS = 10  # of constraints for each of them


class MujocoRollout(ContactRollout):
    """A robot that MuJoCo moves. Its start, controllers, motors, pushes, falls and records are those of time stepping."""

    def __init__(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool, engine: Any):
        self.mujoco, self.engine = load_mujoco(), engine
        check_robot(study.robot)
        check_world(study.world)
        engine.softness(study.dt)
        super().__init__(study, q, v, lift)
        self.data.contact.kick[0] = study.dt
        self._soften()
        self._order = mujoco_order(self.robot)
        self._move = {
            "implicitfast": self.mujoco.mj_implicit,
            "Euler": self.mujoco.mj_Euler,
            "RK4": lambda model, data: self.mujoco.mj_RungeKutta(model, data, 4),
        }[engine.integrator]
        self._begin = KernelCall(around.begin_instant, self.robot.space)
        self._end = KernelCall(around.end_instant, self.robot.space)
        self._look = KernelCall(around.look_again, self.robot.space)
        self._below = KernelCall(around.look_below, self.robot.space)
        self._motors = KernelCall(around.load_motors, self.robot.space)
        self.warm = np.zeros(self.robot.nv)  # where MuJoCo's solver began at this instant
        self._warm_at = -1  # the instant that this belongs to
        self.finished = np.full(1, -1, np.int64)
        self.touches = self._touches(ROOM)
        self._pushed = False
        self._scene: Scene | None = None
        self._rebuild()

    def _soften(self) -> None:
        """No pad strikes, and none has a point that stays: records take them as compliant."""
        self.data.geometry.stiffness[self.data.geometry.stiffness == 0.0] = 1.0

    def _touches(self, room: int) -> Touches:
        dim = self.robot.dim
        return Touches(
            count=np.zeros(1, np.int64),
            geom=np.zeros((room, 2), np.int64),
            place=np.zeros((room, dim)),
            frame=np.zeros((room, 3, dim)),
            address=np.zeros(room, np.int64),
            size=np.zeros(room, np.int64),
            efc_force=np.zeros(ROWS * room),
            mu=np.zeros(room),
            body=np.zeros(room, np.int64),
            force=np.zeros((room, dim)),
            normal=np.zeros((room, dim)),
        )

    # --- the model --------------------------------------------------------------------------------------------------------

    def _wanted(self) -> Scene:
        """The world as it is from this instant on."""
        return scene_of(self.study, self.data.ground, (max(self.step, 0) + 0.5) * self.study.dt)

    def _rebuild(self) -> bool:
        """Take the model of the present world, if it is another one than before."""
        wanted = self._wanted()
        if self._scene is not None and _same(wanted, self._scene):
            return False
        self._scene = None  # until all of it is there: Ctrl-C may come meanwhile
        self.model, self.shapes, self.followers = build(wanted, self.engine)
        self.peer = self.mujoco.MjData(self.model)
        model, peer, order = self.model, self.peer, self._order
        self.coupling = Coupling(
            qpos=peer.qpos,
            qvel=peer.qvel,
            passive=np.zeros(model.nv),
            constraint=np.zeros(model.nv),
            damping=model.dof_damping,
            friction=model.dof_frictionloss,
            applied=peer.qfrc_applied,
            armature=model.dof_armature,
            order_q=order.q.astype(np.int64),
            order_v=order.v.astype(np.int64),
            finished=self.finished,
            implicit=int(self.engine.integrator != "RK4"),
        )
        kind = self.mujoco.mjtObj.mjOBJ_BODY
        self._ids = {link.name: self.mujoco.mj_name2id(model, kind, link.name) for link in self.robot.links}
        self._check_known(self.study)
        self._write_state()
        self._scene = wanted
        return True

    def _check_known(self, study: Scenario) -> None:
        """A link without mass between two joints is no body of MuJoCo, so no force can act on it, nor can it carry anything."""
        known = {self.robot.target(name).body for name, b in self._ids.items() if b >= 0}
        acting: list[Push | Load] = [*study.world.pushes, *study.world.loads]
        for each in acting:
            if self.robot.target(each.on).body not in known:
                what = type(each).__name__
                raise SimulationError(f"engine MuJoCo: {what} on {each.on!r}: that has no mass, and is no body there")

    def _write_state(self) -> None:
        motion = self.data.motion
        self.peer.qpos[:], self.peer.qvel[:] = motion.q[self._order.q], motion.v_now[self._order.v]
        self.peer.qacc_warmstart[:] = self.warm

    def _again(self) -> None:
        """Find forces at this instant once more: what is around the robot is different, or it was put here."""
        worst = self.tally.worst.copy()  # which the row of this instant has already
        self._write_state()
        self._motors(self.data, self.coupling, self.study.dt)
        self._push()
        self._forward()
        self._look(self.data, self.shapes, self.touches, self.log)
        self.tally.worst[:] = worst

    # --- going on ---------------------------------------------------------------------------------------------------------

    def _call(self, control: Control, steps: int) -> int:
        """So many steps; before the first instant, that instant."""
        try:
            return self._steps(control, steps)
        except self.mujoco.FatalError as error:
            self._complaint = str(error)
            return DIVERGED
        except BaseException:  # Ctrl-C between two halves of an instant, or between MuJoCo's step and ours
            self._recover()
            raise

    def _recover(self) -> None:
        """Come to the end of the instant at hand, so that the run can go on."""
        if self.step < 0:
            return
        if self.step == self.finished[0]:
            self._again()
            return
        if self._warm_at != self.step:
            self.warm[:] = self.peer.qacc_warmstart
        self._write_state()
        self._motors(self.data, self.coupling, self.study.dt)
        self._push()
        self._forward()
        self._end(self.data, self.coupling, self.shapes, self.touches, self.log)

    def _steps(self, control: Control, steps: int) -> int:
        first = True
        begun, peer, model = self.step >= 0, self.peer, self.model
        for _ in range(steps if begun else 1):
            if begun:
                self._move(model, peer)
            log = self.log if first else None
            status = self._begin(self.data, self.coupling, self.touches, control, log) if first else self._begin.again()
            if status != DONE:
                return status
            if self._pushed or self.data.pushes.on[0]:
                self._push()
            touches = self.touches
            self._forward()
            if touches is not self.touches:
                first = True
            status = self._end(self.data, self.coupling, self.shapes, self.touches, self.log) if first else self._end.again()
            first = touches is not self.touches
            if status != DONE:
                return status
        return self._warned()

    def _forward(self) -> None:
        """Let MuJoCo find accelerations and contact forces of this instant."""
        peer = self.peer
        self.warm[:] = peer.qacc_warmstart
        self._warm_at = self.step
        if self.followers is not None:
            self._follow(self.followers)
        self.mujoco.mj_forward(self.model, peer)
        self.coupling.passive[:], self.coupling.constraint[:] = peer.qfrc_passive, peer.qfrc_constraint  # RK4 goes on from these
        n, rows = peer.ncon, peer.nefc
        if n > len(self.touches.geom) or rows > len(self.touches.efc_force):
            self.touches = self._touches(2 * max(n, rows // ROWS + 1))
        touches = self.touches
        touches.count[0] = n
        if n:
            contact, axes = peer.contact, slice(None) if self.robot.dim == 3 else slice(None, None, 2)
            touches.geom[:n], touches.address[:n], touches.size[:n] = contact.geom, contact.efc_address, contact.dim
            touches.place[:n] = contact.pos[:, axes]
            touches.frame[:n] = contact.frame.reshape(n, 3, 3)[:, :, axes]
            touches.efc_force[:rows], touches.mu[:n] = peer.efc_force, contact.friction[:, 0]
            self.tally.worst[0] = max(self.tally.worst[0], int(np.max(peer.solver_niter)))

    def _follow(self, followers: Followers) -> None:
        """Put a ball where each pad would touch, and below it the plane that touches the ground there."""
        self._below(self.data)
        n, data, planar = len(self.pads), self.data, self.robot.dim == 2
        body = data.geometry.body[:n]
        normal, arm = data.contact.normal[:n], data.contact.r_BC_W[:n]
        place = data.work.p_WB[body] + arm - data.contact.gap[:n, None] * normal
        if planar:
            normal, arm, place = (np.insert(each, 1, 0.0, axis=1) for each in (normal, arm, place))
        R = np.array([self._rotation(i) for i in body]).reshape(n, 3, 3)
        local = np.einsum("kji,kj->ki", R, arm + TOUCH * normal) - followers.place
        self.model.geom_pos[followers.geom] = np.einsum("kji,kj->ki", followers.axes, local)
        turn = np.column_stack((1.0 + normal[:, 2], -normal[:, 1], normal[:, 0], np.zeros(n)))
        self.peer.mocap_pos[:], self.peer.mocap_quat[:] = place, turn / np.linalg.norm(turn, axis=1, keepdims=True)

    def _push(self) -> None:
        """Forces of the pushes on MuJoCo's bodies, about their centres of mass."""
        self._pushed = bool(self.data.pushes.on[0])
        self.peer.xfrc_applied[:] = 0.0
        if not self._pushed:
            return
        work, planar = self.data.work, self.robot.dim == 2
        done: set[int] = set()
        for name, b in self._ids.items():
            where = self.robot.target(name)
            i = where.body
            if b < 0 or i in done or not work.f_ext[i].any():
                continue
            done.add(i)
            f = work.f_ext[i]
            force, moment = (lifted(f[:2]), np.array((0.0, f[2], 0.0))) if planar else (f[:3], f[3:])
            local = where.place + where.axes @ self.model.body_ipos[b]
            R = self._rotation(i)
            self.peer.xfrc_applied[b] = *force, *(moment - np.cross(R @ local, force))

    def _rotation(self, body: int) -> np.ndarray:
        R = self.data.work.R_WB[body]
        if self.robot.dim == 3:
            return R.reshape(3, 3)
        return np.array(((R[0], 0.0, R[1]), (0.0, 1.0, 0.0), (-R[1], 0.0, R[0])))

    def _warned(self) -> int:
        """MuJoCo says in numbers that it left contacts or constraints out."""
        full = self.mujoco.mjtWarning.mjWARN_CONTACTFULL, self.mujoco.mjtWarning.mjWARN_CNSTRFULL
        if any(self.peer.warning[kind].number for kind in full):
            self._complaint = "its memory for contacts is full"
            return DIVERGED
        return DONE

    def _halt(self, status: int) -> Halt:
        halt = super()._halt(status)
        if halt.outcome is not Outcome.DIVERGED:
            return halt
        if self._complaint:
            return halt._replace(error=f"MuJoCo gave up at {self.time:.4f} s: {self._complaint}")
        return halt._replace(error=f"MuJoCo is unstable here: {halt.error}")

    _complaint = ""

    def velocity(self) -> np.ndarray:
        return self.data.motion.v_now.copy()

    def direct(self, control: Control) -> Direct | None:  # noqa: ARG002
        return None

    # --- changes and returns ----------------------------------------------------------------------------------------------

    def moving(self) -> tuple:
        return *super().moving(), self.warm, self.finished

    def resume(self) -> None:
        super().resume()
        self._rebuild()
        self._again()

    def check_change(self, study: Scenario) -> None:
        check_robot(study.robot)
        check_world(study.world)
        self._check_known(study)
        super().check_change(study)

    def change(self, study: Scenario) -> None:
        super().change(study)
        self.data.contact.kick[0] = study.dt
        self._soften()
        self._take_world()

    def _apply_changes(self) -> Halt | None:
        if halt := super()._apply_changes():
            return halt
        self._take_world()
        return None

    def _take_world(self) -> None:
        if self._rebuild() and self.step >= 0:
            self._again()

    def _set_contact(self, contact: Contact) -> None:
        super()._set_contact(contact)
        self._soften()

    def _deepest(self, ground: Ground, look_only: bool = False) -> tuple[str, float]:
        """Feet are a little inside of soft ground; what counts is how much deeper they would be."""
        name, depth = super()._deepest(ground, look_only)
        here = ground_below(*self._ground[:1], self.robot, self.data.motion.q_offset)
        data = self.data._replace(ground=here, work=copied(self.data.work), contact=copied(self.data.contact))
        gaps = gaps_of(self.robot, data, self.data.motion.q)
        return name, depth - max(0.0, -float(gaps.min(initial=0.0)))


def _same(one: Scene, other: Scene) -> bool:
    """Whether two scenes have the same model."""
    return all(a is b or (name != "ground" and a == b) for name, a, b in zip(Scene._fields, one, other, strict=True))
