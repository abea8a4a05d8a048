"""Robots that were read, beside what Pinocchio and MuJoCo make of the same file."""

import mujoco
import numpy as np
import pinocchio as pin

import footfall as ff


def rotors(robot):
    """The inertia of rotors, which Pinocchio does not read, at every degree of freedom."""
    found = np.zeros(robot.nv)
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.motor:
            found[robot.tree.first_v[i] : robot.tree.first_v[i + 1]] = joint.motor.rotor_inertia * joint.motor.gear**2
    return found


class BesidePinocchio:
    """The robot of a URDF, and the same file in Pinocchio. Joints that Pinocchio has and the robot has not are locked at zero."""

    def __init__(self, robot, source, names=None):
        """`source` is the path or the text of the file; `names` are joints in the file, by name in the robot."""
        self.robot, names = robot, names or {}
        build = pin.buildModelFromXML if str(source).lstrip().startswith("<") else pin.buildModelFromUrdf
        model = build(str(source))
        if any(joint.kind == "free" and not model.existJointName(joint.name) for joint in robot.joints):
            model = build(str(source), pin.JointModelFreeFlyer())
        ours = {names.get(joint.name, joint.name) for joint in robot.layout.joints} | {"root_joint", "universe"}
        extra = [model.getJointId(name) for name in model.names if name not in ours]
        self.model = pin.buildReducedModel(model, extra, pin.neutral(model)) if extra else model
        self.data = self.model.createData()
        self.model.gravity.linear = np.array((0.0, 0.0, -robot.gravity))
        self.pairs = []
        for i, joint in enumerate(robot.layout.joints, start=1):
            name = names.get(joint.name, joint.name)
            other = self.model.joints[self.model.getJointId(name if self.model.existJointName(name) else "root_joint")]
            self.pairs.append((joint, int(robot.tree.first_q[i]), int(robot.tree.first_v[i]), other))

    def errors(self, rng):
        """Largest differences of mass matrix and bias, relative to the largest entry (absolute below 1)."""
        robot = self.robot
        assert self.model.nv == robot.nv
        q, v = ff.kinematics.random_configuration(robot, rng), rng.normal(size=robot.nv)
        theirs, T = self.translated(q)
        M = pin.crba(self.model, self.data, theirs)
        M = T.T @ (np.triu(M) + np.triu(M, 1).T) @ T + np.diag(rotors(robot))
        V, A = T @ v, np.zeros(robot.nv)
        for joint, _, _, other in self.pairs:
            if joint.kind == "free":  # d/dt of the body's velocity while ours is constant
                i = other.idx_v
                A[i : i + 3] = -np.cross(V[i + 3 : i + 6], V[i : i + 3])
        bias = T.T @ pin.rnea(self.model, self.data, theirs, V, A)
        return relative(ff.dynamics.mass_matrix(robot, q), M), relative(ff.dynamics.bias(robot, q, v), bias)

    def translated(self, q):
        """Pinocchio's q, and T with v_pinocchio = T v."""
        theirs, T = np.zeros(self.model.nq), np.zeros((self.robot.nv, self.robot.nv))
        for joint, i, d, other in self.pairs:
            j, k = other.idx_q, other.idx_v
            if joint.kind == "free":
                theirs[j : j + 7] = q[[i, i + 1, i + 2, i + 4, i + 5, i + 6, i + 3]]
                T[k : k + 3, d : d + 3] = pin.Quaternion(*q[i + 3 : i + 7]).matrix().T
                T[k + 3 : k + 6, d + 3 : d + 6] = np.eye(3)
            else:
                theirs[j : j + other.nq] = q[i] if other.nq == 1 else (np.cos(q[i]), np.sin(q[i]))
                T[k, d] = 1.0
        return theirs, T

    def frame_error(self, rng, frames):
        """Largest difference of the places and axes of frames, by name in both."""
        q = ff.kinematics.random_configuration(self.robot, rng)
        pin.framesForwardKinematics(self.model, self.data, self.translated(q)[0])
        worst = 0.0
        for ours, theirs in frames.items():
            other, pose = self.data.oMf[self.model.getFrameId(theirs)], ff.kinematics.pose(self.robot, q, ours)
            worst = max(worst, np.abs(other.translation - pose.position).max(), np.abs(other.rotation - pose.rotation).max())
        return worst


class BesideMujoco:
    """The robot of an MJCF file, and the same file in MuJoCo."""

    def __init__(self, robot, model, names=None):
        """`names` are joints in MuJoCo for each of ours, in order, if they are several or called otherwise."""
        self.robot, self.model, self.data = robot, model, mujoco.MjData(model)
        self.q, self.v = [], []
        known = {model.joint(i).name for i in range(model.njnt)}
        for number, joint in enumerate(robot.layout.joints):
            for name in (names or {}).get(joint.name, (joint.name,)):
                other = model.joint(name if name in known else number)  # those without a name by their place
                sizes = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}[int(other.type[0])]
                self.q += range(int(other.qposadr[0]), int(other.qposadr[0]) + sizes[0])
                self.v += range(int(other.dofadr[0]), int(other.dofadr[0]) + sizes[1])

    def errors(self, rng):
        robot, model, data = self.robot, self.model, self.data
        assert (model.nq, model.nv) == (robot.nq, robot.nv)
        q, v = ff.kinematics.random_configuration(robot, rng), rng.normal(size=robot.nv)
        data.qpos[self.q], data.qvel[self.v] = q, v
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        M, bias = M[np.ix_(self.v, self.v)], data.qfrc_bias[self.v]
        return relative(ff.dynamics.mass_matrix(robot, q), M), relative(ff.dynamics.bias(robot, q, v), bias)


def relative(ours, theirs):
    return float(np.max(np.abs(ours - theirs)) / max(1.0, np.max(np.abs(theirs))))
