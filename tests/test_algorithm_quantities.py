"""Every quantity that an algorithm can ask for, on many robots, against kinematics and dynamics that do not share its code."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall import dynamics, kinematics
from footfall.control.algorithm import Algorithm, Expression, Hold
from footfall.control.algorithm.pressing import pressing
from trees import random_robot

ROBOTS = ["johnnie", "wendlandt", "ranger", "wendlandt-3d", "person", "rabbit"]
TREES = [random_robot(seed, space, 9) for space in ("planar", "spatial") for seed in (3, 4, 5, 8)]
ALL = [*(ff.robots.load(name) for name in ROBOTS), *TREES]
OFFSET = 1000.0


def some_state(robot, seed=4):
    rng = np.random.default_rng(seed)
    return kinematics.random_configuration(robot, rng, 0.6), rng.normal(size=robot.nv)


def named(robot):
    return pytest.mark.parametrize("robot", robot, ids=lambda each: each.name)


def moving(robot):
    """Links that are not fixed to the world, which an algorithm does not speak of."""
    return [link for link in robot.links if robot.target(link.name).body > 0]


def held_body(robot):
    """A link to hold, if the robot has a base that floats."""
    return robot.feet[0].pads[0].link if robot.feet else None


def solved(robot, quantities, hold):
    """Some motion, and the quantities in it: wishes too weak to change it, whose residuals tell how far they are from -OFFSET."""
    algo, (q, v) = Algorithm(robot), some_state(robot)
    rng = np.random.default_rng(1)
    if hold:
        algo.out.q[:], algo.out.v[:] = q, v
        algo.hold("HELD", algo.body(hold))
    joints = [joint for joint in robot.layout.joints if joint.kind not in ("free", "planar")]
    algo.minimise(*((algo.joint(j.name).acceleration - rng.normal()) ** 2 for j in joints))
    asked = quantities(algo)
    for name, expression in asked.items():
        for i in range(expression.rows):
            algo.equate(f"{name} {i}", expression[i] == -OFFSET, weight=1e-18)
    found = algo.solve(q, v)
    values = {
        name: np.array([found.residual[f"{name} {i}"] - OFFSET for i in range(expression.rows)])
        for name, expression in asked.items()
    }
    return found, values, algo


def agree(ours, theirs, what):
    theirs = np.atleast_1d(theirs)
    assert ours == pytest.approx(theirs, abs=1e-9 * max(OFFSET, np.abs(theirs).max())), what


@named(ALL)
def test_known_quantities(robot):
    algo, (q, v) = Algorithm(robot), some_state(robot)
    algo.out.q[:], algo.out.v[:] = q, v
    rng, dim = np.random.default_rng(2), robot.dim
    assert [body.name for body in algo.bodies] == [link.name for link in moving(robot) if link.mass > 0.0]
    points = [(algo.body(link.name), link.name, link.com) for link in moving(robot)]
    points += [(algo.point(frame.name), frame.name, None) for frame in robot.frames]
    for link in moving(robot):
        at = rng.normal(size=dim)
        points.append((algo.point(link.name, at), link.name, at))
    for point, name, at in points:
        speed = kinematics.velocity(robot, q, v, name, at)
        pose = kinematics.pose(robot, q, name, at)
        agree(algo.value(point.position), pose.position, f"position of {name}")
        agree(algo.value(point.velocity), speed[:dim], f"velocity of {name}")
        agree(algo.value(point.angular_velocity), speed[dim:], f"angular velocity of {name}")
        if dim == 3:
            desired = Rotation.random(random_state=3).as_matrix()
            error = Rotation.from_matrix(pose.matrix[:3, :3] @ desired.T).as_rotvec()
            agree(algo.value(point.orientation_error(desired)), error, f"orientation of {name}")
    for joint in robot.layout.joints:
        if joint.kind in ("free", "planar"):
            continue
        handle = algo.joint(joint.name)
        here = q[handle.coordinate : handle.coordinate + (4 if joint.kind == "spherical" else 1)]
        angle = Rotation.from_quat(np.roll(here, -1)).as_rotvec() if joint.kind == "spherical" else here
        agree(np.atleast_1d(algo.value(handle.angle)), angle, f"angle of {joint.name}")
        agree(np.atleast_1d(algo.value(handle.velocity)), v[handle.dof : handle.dof + handle.count], f"rate of {joint.name}")
    c, p = dynamics.center_of_mass(robot, q), dynamics.momentum(robot, q, v)
    agree(algo.value(algo.com.position), c, "centre of mass")
    agree(algo.value(algo.com.momentum), p[:dim], "momentum")
    agree(algo.value(algo.com.angular_momentum), by_links(robot, q, v)[dim:], "angular momentum")
    agree(algo.value(algo.dcm(3.0).position), c + dynamics.center_of_mass_velocity(robot, q, v) / 3.0, "DCM")


def by_links(robot, q, v):
    """Momentum, linear and about the centre of mass, link by link; what rotors have is left to the mass matrix: none here."""
    dim, c = robot.dim, dynamics.center_of_mass(robot, q)
    total = np.zeros(3 if dim == 2 else 6)
    for link in robot.links:
        V = kinematics.velocity(robot, q, v, link.name, link.com)
        pose = kinematics.pose(robot, q, link.name, link.com)
        arm, p = pose.position - c, link.mass * V[:dim]
        total[:dim] += p
        if dim == 2:
            total[2] += link.inertia * V[2] + arm[1] * p[0] - arm[0] * p[1]
        else:
            R = pose.matrix[:3, :3]
            xx, yy, zz, xy, xz, yz = (*link.inertia, 0.0, 0.0, 0.0)[:6]
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            total[3:] += R @ inertia @ R.T @ V[3:] + np.cross(arm, p)
    return total


@named(ALL)
def test_accelerations(robot):
    dim = robot.dim

    def quantities(algo):
        asked = {f"a {link.name}": algo.body(link.name).acceleration for link in moving(robot)}
        asked |= {f"w {link.name}": algo.body(link.name).angular_acceleration for link in moving(robot)}
        asked |= {f"a {frame.name}": algo.point(frame.name).acceleration for frame in robot.frames}
        for joint in robot.layout.joints:
            if joint.kind not in ("free", "planar"):
                asked[f"q {joint.name}"] = algo.joint(joint.name).acceleration
        com = algo.com
        return asked | {
            "com": com.acceleration,
            "p": com.momentum_rate,
            "L": com.angular_momentum_rate,
            "xi": algo.dcm(2.5).velocity,
        }

    found, values, algo = solved(robot, quantities, held_body(robot))
    q, v, a = found.q, found.v, found.acceleration
    for link in moving(robot):
        there = kinematics.acceleration(robot, q, v, a, link.name, link.com)
        agree(values[f"a {link.name}"], there[:dim], link.name)
        agree(values[f"w {link.name}"], there[dim:], link.name)
    for frame in robot.frames:
        agree(values[f"a {frame.name}"], kinematics.acceleration(robot, q, v, a, frame.name)[:dim], frame.name)
    for name in values:
        if name.startswith("q "):
            handle = algo.joint(name[2:])
            agree(values[name], a[handle.dof : handle.dof + handle.count], name)
    h = 1e-4  # momentum by links a little earlier and later, along the motion
    sides = [by_links(robot, kinematics.integrate(robot, q, t * v + 0.5 * t * t * a), v + t * a) for t in (-2 * h, -h, h, 2 * h)]
    rate = (sides[0] - 8.0 * sides[1] + 8.0 * sides[2] - sides[3]) / (12.0 * h)
    size = 1.0 + np.abs(rate).max()
    assert values["p"] == pytest.approx(rate[:dim], abs=1e-6 * size)
    assert values["L"] == pytest.approx(rate[dim:], abs=1e-6 * size)
    agree(values["com"], values["p"] / sum(link.mass for link in moving(robot)), "centre of mass")
    agree(values["xi"], dynamics.center_of_mass_velocity(robot, q, v) + values["com"] / 2.5, "DCM")


def springs_and_dampers(robot, q, v):
    """What hinges give besides their motors, by their declaration."""
    force = np.zeros(robot.nv)
    for joint in robot.joints:
        if joint.kind in ("revolute", "prismatic"):
            d = robot.velocities.index(joint.name)
            force[d] = -joint.damping * v[d]
            if joint.spring:
                force[d] -= joint.spring.stiffness * (q[robot.coordinates.index(joint.name)] - joint.spring.rest)
    return force


@named(ALL)
def test_forces(robot):
    """Torques, the forces in all joints and of what is held: against the equations of all bodies and hinges, and their balance."""
    hold = held_body(robot)

    def quantities(algo):
        asked = {}
        for joint in robot.layout.joints:
            handle = algo.joint(joint.name)
            if joint.kind not in ("free", "planar"):
                asked[f"t {joint.name}"] = handle.torque
            asked[f"f {joint.name}"], asked[f"m {joint.name}"] = handle.force, handle.moment
        if hold:
            foot = algo.hold("HELD", algo.body(hold))
            asked |= {"force": foot.force, "moment": foot.moment}
        return asked

    found, values, algo = solved(robot, quantities, hold)
    q, v, a, dim = found.q, found.v, found.acceleration, robot.dim
    external, tau = {}, found.torque + springs_and_dampers(robot, q, v)
    if hold:
        com = next(link.com for link in robot.links if link.name == hold)
        wrench = np.concatenate((values["force"], values["moment"]))
        J = kinematics.jacobian(robot, q, hold, com)
        assert dynamics.inverse(robot, q, v, a) == pytest.approx(tau + J.T @ wrench, abs=1e-6)
        c = kinematics.pose(robot, q, hold, com).position
        arm = c - kinematics.pose(robot, q, hold).position
        f = values["force"]
        lever = np.cross(arm, f) if dim == 3 else np.array([arm[1] * f[0] - arm[0] * f[1]])
        external[hold] = np.concatenate((f, values["moment"] + lever))
        weight = np.zeros(dim)
        weight[-1] = robot.mass * robot.gravity
        assert f == pytest.approx(dynamics.momentum_rate(robot, q, v, a)[:dim] + weight, abs=1e-6)
    assert dynamics.forward(robot, q, v, tau, external=external) == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
    passive = sorted(set(range(robot.nv)) - set(robot.actuated.tolist()))
    assert np.abs(found.torque[passive]).max(initial=0.0) < 1e-6
    for joint in robot.layout.joints:
        handle = algo.joint(joint.name)
        if joint.kind not in ("free", "planar"):
            agree(values[f"t {joint.name}"], found.torque[handle.dof : handle.dof + handle.count], joint.name)
    if not hold:
        hinges = dynamics.hinge_forces(robot, q, v, tau).joints
        size = 1e-7 * max(OFFSET, *(np.abs(each).max() for each in hinges.values()))
        for name, hinge in hinges.items():
            assert values[f"f {name}"] == pytest.approx(hinge[:dim], abs=size), name
            assert values[f"m {name}"] == pytest.approx(hinge[dim:], abs=size), name


@pytest.mark.parametrize("name", ["johnnie", "wendlandt", "wendlandt-3d", "simbicon"])
def test_forces_of_feet_that_stand(name):
    """Two feet with unilateral forces and a limit on them: the sum is what the robot needs, by inverse dynamics."""
    robot = ff.robots.load(name)
    bend = {"hip_pitch": -0.3, "hip": -0.3, "knee": 0.6, "ankle_pitch": -0.3, "ankle": -0.3}
    known = set(robot.coordinates)
    q = robot.configuration({f"{j}_{s}": x for j, x in bend.items() for s in ("left", "right") if f"{j}_{s}" in known})
    v = np.zeros(robot.nv)
    algo = Algorithm(robot)
    feet = {side: algo.stand(f"{side} foot", algo.point(f"sole_{side}"), 10.0) for side in ("left", "right")}
    for side, foot in feet.items():
        algo.limit(f"{side} presses", foot.force.z >= 1.0)
        algo.equate(f"{side} even", foot.force == 0.0, weight=1e-4)
        algo.equate(f"{side} moment", foot.moment == 0.0, weight=1e-2)
        for i in range(robot.dim):
            algo.equate(f"{side} seen {i}", foot.force[i] == -OFFSET, weight=1e-14)
    algo.equate("up", algo.com.acceleration.z == 0.3)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    found = algo.solve(q, v)
    total = sum(np.array([found.residual[f"{side} seen {i}"] - OFFSET for i in range(robot.dim)]) for side in ("left", "right"))
    assert total[-1] == pytest.approx(robot.mass * (robot.gravity + 0.3), rel=1e-8)
    needed = dynamics.inverse(robot, q, v, found.acceleration)
    root = needed[: robot.dim]
    assert total == pytest.approx(root, abs=1e-6 * robot.mass * robot.gravity)


def test_a_sole_presses_with_what_forces_at_its_corners_can_give():
    """The limits of `press` against forces at the corners: every one that these can give is allowed, and no larger twist."""
    rng, half, friction = np.random.default_rng(7), (0.11, 0.04), 0.7
    mu = friction / np.sqrt(2.0)
    corners = np.array([(x, y, 0.0) for x in (half[0], -half[0]) for y in (half[1], -half[1])])
    to_wrench = np.hstack([np.vstack((np.eye(3), cross(corner))) for corner in corners])

    def allowed(wrench):
        force, moment = (Expression((), values) for values in (wrench[:3], wrench[3:]))
        return min(
            float(part.constant.min()) for part in pressing("sole", Hold("sole", force, moment), friction, half, 0.0, None)
        )

    for _ in range(50):
        up = rng.uniform(0.0, 100.0, 4)
        forces = np.array([(*rng.uniform(-mu, mu, 2) * f, f) for f in up])
        wrench = to_wrench @ forces.ravel()
        assert allowed(wrench) > -1e-12
        pyramid = np.kron(np.eye(4), [(1, 0, -mu), (-1, 0, -mu), (0, 1, -mu), (0, -1, -mu)])
        most = linprog(-to_wrench[5], pyramid, np.zeros(16), to_wrench[:5], wrench[:5], [(None, None)] * 12)
        wrench[5] = -most.fun
        assert abs(allowed(wrench)) < 1e-9
        wrench[5] += 1e-3
        assert allowed(wrench) < -5e-4


def cross(r):
    return np.array(((0.0, -r[2], r[1]), (r[2], 0.0, -r[0]), (-r[1], r[0], 0.0)))
