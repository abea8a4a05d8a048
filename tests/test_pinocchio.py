"""Every quantity that Pinocchio has, on random trees of 1 to 40 links: 1,000 robots, each in a state of its own."""

import numpy as np
import pinocchio as pin
import pytest

import footfall as ff
from footfall.model.peers import PinocchioRobot as Oracle
from trees import close, random_robot, random_state

TOLERANCE = 1e-10
TREES, CHUNK = 500, 25  # of each space; trees to a test
WORLD, LOCAL = pin.LOCAL_WORLD_ALIGNED, pin.LOCAL

pytestmark = pytest.mark.parametrize("space", ["planar", "spatial"])
chunks = pytest.mark.parametrize("first", range(0, TREES, CHUNK))


def cases(space, first):
    for seed in range(first, first + CHUNK):
        robot = random_robot(seed, space)
        q, v, x = random_state(robot, seed)
        oracle = Oracle(robot)
        yield robot, oracle, q, v, x, oracle.q(q), oracle.v(v), oracle.v(x)


@chunks
def test_kinematics(space, first):
    for robot, o, q, v, a, pq, pv, pa in cases(space, first):
        pin.forwardKinematics(o.model, o.data, pq, pv, pa)
        pin.computeJointJacobians(o.model, o.data, pq)
        pin.updateFramePlacements(o.model, o.data)
        for name in ("tip", robot.links[0].name, robot.links[-1].name):
            frame = o.frames[name]
            X = o.data.oMf[frame]
            pose = ff.kinematics.pose(robot, q, name)
            close(pose.position, X.translation[o.dims], TOLERANCE, "position")
            close(pose.rotation, X.rotation[np.ix_(o.dims, o.dims)], TOLERANCE, "rotation")
            for axes, theirs in (("world", WORLD), ("body", LOCAL)):
                close(ff.kinematics.velocity(robot, q, v, name, axes=axes),
                      o.motion(pin.getFrameVelocity(o.model, o.data, frame, theirs)), TOLERANCE, "velocity")  # fmt: skip
                close(ff.kinematics.acceleration(robot, q, v, a, name, axes=axes),
                      o.motion(pin.getFrameClassicalAcceleration(o.model, o.data, frame, theirs)), TOLERANCE, "acceleration")  # fmt: skip
                J = pin.getFrameJacobian(o.model, o.data, frame, theirs)
                close(ff.kinematics.jacobian(robot, q, name, axes=axes), o.columns(J)[o.rows], TOLERANCE, "jacobian")
        pin.forwardKinematics(o.model, o.data, pq, pv, 0 * pa)
        pin.updateFramePlacements(o.model, o.data)
        frame = o.frames["tip"]
        close(ff.kinematics.jacobian_rate(robot, q, v, "tip"),
              o.motion(pin.getFrameClassicalAcceleration(o.model, o.data, frame, WORLD)), TOLERANCE, "jacobian rate")  # fmt: skip
        close(ff.kinematics.jacobian_rate(robot, q, v, "tip", axes="body"),
              o.motion(pin.getFrameAcceleration(o.model, o.data, frame, LOCAL)), TOLERANCE, "jacobian rate, body")  # fmt: skip


@chunks
def test_dynamics(space, first):
    for robot, o, q, v, x, pq, pv, px in cases(space, first):
        close(ff.dynamics.inverse(robot, q, v, x), o.ours(pin.rnea(o.model, o.data, pq, pv, px)), TOLERANCE, "inverse")
        close(ff.dynamics.forward(robot, q, v, x), o.ours(pin.aba(o.model, o.data, pq, pv, px)), TOLERANCE, "forward")
        M = pin.crba(o.model, o.data, pq)
        M = np.triu(M) + np.triu(M, 1).T
        close(ff.dynamics.mass_matrix(robot, q), o.square(M), TOLERANCE, "mass matrix")
        close(ff.dynamics.bias(robot, q, v), o.ours(pin.nonLinearEffects(o.model, o.data, pq, pv)), TOLERANCE, "bias")
        weight = pin.computeGeneralizedGravity(o.model, o.data, pq)
        close(ff.dynamics.gravity_forces(robot, q), o.ours(weight), TOLERANCE, "gravity")
        C = pin.computeCoriolisMatrix(o.model, o.data, pq, pv)
        close(ff.dynamics.coriolis(robot, q, v), o.square(C), TOLERANCE, "coriolis")


@chunks
def test_external_forces(space, first):
    for robot, o, q, v, x, pq, pv, px in cases(space, first):
        rng = np.random.default_rng(first)
        external = {name: rng.normal(size=len(o.rows)) for name in ("tip", robot.links[0].name)}
        pin.framesForwardKinematics(o.model, o.data, pq)
        forces = [pin.Force.Zero() for _ in range(o.model.njoints)]
        for name, wrench in external.items():
            joint, _ = o.holders[name]
            full = np.zeros(6)
            full[o.rows] = wrench
            at_frame = pin.SE3(np.eye(3), o.data.oMf[o.frames[name]].translation)
            forces[joint] += o.data.oMi[joint].actInv(at_frame.act(pin.Force(full)))
        close(ff.dynamics.inverse(robot, q, v, x, external=external),
              o.ours(pin.rnea(o.model, o.data, pq, pv, px, forces)), TOLERANCE, "inverse")  # fmt: skip
        close(ff.dynamics.forward(robot, q, v, x, external=external),
              o.ours(pin.aba(o.model, o.data, pq, pv, px, forces)), TOLERANCE, "forward")  # fmt: skip


@chunks
def test_momentum_and_energy(space, first):
    for robot, o, q, v, a, pq, pv, pa in cases(space, first):
        pin.ccrba(o.model, o.data, pq, pv)
        close(ff.dynamics.center_of_mass(robot, q), pin.centerOfMass(o.model, o.data, pq, pv)[o.dims], TOLERANCE, "com")
        close(ff.dynamics.center_of_mass_velocity(robot, q, v), o.data.vcom[0][o.dims], TOLERANCE, "com velocity")
        J = pin.jacobianCenterOfMass(o.model, o.data, pq)
        close(ff.dynamics.center_of_mass_jacobian(robot, q), o.columns(J)[o.dims], TOLERANCE, "com jacobian")
        close(ff.dynamics.momentum(robot, q, v), o.motion(o.data.hg), TOLERANCE, "momentum")
        close(ff.dynamics.momentum_matrix(robot, q), o.columns(o.data.Ag)[o.rows], TOLERANCE, "momentum matrix")
        pin.computeCentroidalMomentumTimeVariation(o.model, o.data, pq, pv, pa)
        close(ff.dynamics.momentum_rate(robot, q, v, a), o.motion(o.data.dhg), TOLERANCE, "momentum rate")
        energy = ff.dynamics.energy(robot, q, v)
        rotors = 0.5 * np.sum(o.model.armature * pv**2)
        o.model.armature = 0 * pv  # Pinocchio 4.1 counts rotors here for some kinds of joint only
        close(energy.kinetic, pin.computeKineticEnergy(o.model, o.data, pq, pv) + rotors, TOLERANCE, "kinetic energy")
        close(energy.potential, pin.computePotentialEnergy(o.model, o.data, pq), TOLERANCE, "potential energy")


@chunks
def test_inertia_from_outside(space, first):
    for robot, o, q, v, x, pq, pv, px in cases(space, first):
        Minv = pin.computeMinverse(o.model, o.data, pq)
        Minv = o.square(np.triu(Minv) + np.triu(Minv, 1).T)
        pin.computeJointJacobians(o.model, o.data, pq)
        pin.updateFramePlacements(o.model, o.data)
        names = ["tip", robot.links[0].name]
        J = np.vstack([o.columns(pin.getFrameJacobian(o.model, o.data, o.frames[name], WORLD))[o.rows] for name in names])
        close(ff.dynamics.inverse_inertia(robot, q, names), J @ Minv @ J.T, TOLERANCE, "inverse inertia")


@chunks
def test_manifold(space, first):
    for robot, o, q, v, x, pq, pv, px in cases(space, first):
        moved = ff.kinematics.integrate(robot, q, v)
        theirs = pin.integrate(o.model, pq, pv)
        close(moved, _same_cover(robot, theirs[o.from_q], moved), TOLERANCE, "integrate")
        target = ff.kinematics.integrate(robot, moved, x)
        step = o.ours(pin.difference(o.model, o.q(moved), o.q(target)))
        close(ff.kinematics.difference(robot, moved, target), step, TOLERANCE, "difference")
        close(ff.kinematics.difference(robot, q, q), np.zeros(robot.nv), 1e-15, "no difference")


@pytest.mark.parametrize("name", ff.robots.names())
def test_ready_robots(name, space):
    robot = ff.robots.load(name)
    robot = robot.in_space() if space == "spatial" else robot
    if robot.space != space:
        return  # a robot in space has no planar twin
    o = Oracle(robot)
    o.model.gravity.linear = np.array([0.0, 0.0, -robot.gravity])
    for seed in range(20):
        q, v, x = random_state(robot, seed)
        pq, pv, px = o.q(q), o.v(v), o.v(x)
        close(ff.dynamics.inverse(robot, q, v, x), o.ours(pin.rnea(o.model, o.data, pq, pv, px)), TOLERANCE, "inverse")
        M = pin.crba(o.model, o.data, pq)
        close(ff.dynamics.mass_matrix(robot, q), o.square(np.triu(M) + np.triu(M, 1).T), TOLERANCE, "mass matrix")
        close(ff.dynamics.forward(robot, q, v, x), o.ours(pin.aba(o.model, o.data, pq, pv, px)), TOLERANCE, "forward")


def _same_cover(robot, theirs, ours):
    """q and -q are one rotation; take the sign of ours."""
    theirs = theirs.copy()
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("spherical", "free"):
            last = robot.tree.first_q[i + 1]
            if theirs[last - 4 : last] @ ours[last - 4 : last] < 0:
                theirs[last - 4 : last] *= -1
    return theirs
