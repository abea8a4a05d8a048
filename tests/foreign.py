"""Random robots written as URDF and MJCF in as many ways as the formats have; nothing here uses Footfall."""

import math

import numpy as np

RAD = 180.0 / math.pi


def physical_inertia(rng, mass):
    """Principal moments of a box of random size, turned at random: entries xx, yy, zz, xy, xz, yz."""
    x, y, z = rng.uniform(0.05, 0.5, 3) ** 2
    Q = random_rotation(rng)
    J = Q @ np.diag(mass / 12 * np.array([y + z, x + z, x + y])) @ Q.T
    return J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]


def random_rotation(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def text(*values):
    return " ".join(repr(float(value)) for value in values)


# --- URDF -----------------------------------------------------------------------------------------------------------------


def random_urdf(seed):
    """The text of a tree of 1 to 30 links with all kinds of joints that readers agree about, parts in any order."""
    rng = np.random.default_rng(seed)
    n, rooted = int(rng.integers(1, 31)), bool(rng.integers(2))
    parts = ['<link name="world"/>'] if rooted else []
    for i in range(n):
        parts.append(_urdf_link(rng, i))
        if i == 0 and not rooted:
            continue
        parent = f"body-{int(rng.integers(max(0, i - 5), i))}" if i else "world"
        kinds = ["revolute", "continuous", "prismatic", "fixed"] if i else ["revolute", "continuous", "floating", "floating"]
        kind = str(rng.choice(kinds)) if i < n - 1 else "revolute"
        parts.append(_urdf_joint(rng, i, kind, parent))
    for k in range(int(rng.integers(0, 4))):  # links without mass, for what they carry
        parts.append(f'<link name="mark-{k}"/>')
        parts.append(
            f'<joint name="mark-{k}-joint" type="fixed"><origin rpy="{text(*rng.normal(size=3))}" '
            f'xyz="{text(*rng.normal(size=3))}"/><child link="mark-{k}"/><parent link="body-{int(rng.integers(n))}"/></joint>'
        )
    order = rng.permutation(len(parts))
    return (
        f'<?xml version="1.0"?>\n<robot name="tree{seed}">\n<!-- any order -->\n'
        + "\n".join(parts[i] for i in order)
        + "\n</robot>"
    )


def _urdf_link(rng, i):
    mass = rng.uniform(0.2, 5.0)
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    inertia = " ".join(f'{key}="{text(value)}"' for key, value in zip(names, physical_inertia(rng, mass), strict=True))
    rpy = f' rpy="{text(*rng.normal(size=3))}"' if rng.integers(2) else ""
    shapes = {
        "box": f'<box size="{text(*rng.uniform(0.05, 0.3, 3))}"/>',
        "sphere": f'<sphere radius="{text(rng.uniform(0.05, 0.3))}"/>',
        "cylinder": f'<cylinder radius="{text(rng.uniform(0.05, 0.3))}" length="{text(rng.uniform(0.05, 0.9))}"/>',
    }
    shape = shapes[str(rng.choice(list(shapes)))]
    collision = (
        f'<collision><origin xyz="{text(*rng.normal(0, 0.1, 3))}" rpy="{text(*rng.normal(size=3))}"/>'
        f"<geometry>{shape}</geometry></collision>"
    )
    return (
        f'<link name="body-{i}"><inertial><origin xyz="{text(*rng.normal(0, 0.3, 3))}"{rpy}/><mass value="{text(mass)}"/>'
        f"<inertia {inertia}/></inertial>{collision if rng.integers(2) else ''}</link>"
    )


def _urdf_joint(rng, i, kind, parent):
    low = rng.uniform(-3.0, 0.0)
    moving = kind in ("revolute", "continuous", "prismatic")
    axis = f'<axis xyz="{text(*rng.normal(size=3))}"/>' if moving and rng.integers(4) else ""  # else along x
    limits = f'lower="{text(low)}" upper="{text(low + rng.uniform(0, 3))}" ' if kind != "continuous" else ""
    limit = f'<limit {limits}effort="{text(rng.uniform(1, 50))}" velocity="{text(rng.uniform(1, 9))}"/>' if moving else ""
    dynamics = f'<dynamics damping="{text(rng.uniform(0, 1))}" friction="{text(rng.uniform(0, 1))}"/>' if moving else ""
    origin = f'<origin xyz="{text(*rng.normal(0, 0.4, 3))}" rpy="{text(*rng.normal(size=3))}"/>' if rng.integers(5) else ""
    return f'<joint type="{kind}" name="turn-{i}">{limit}{axis}<child link="body-{i}"/>{origin}<parent link="{parent}"/>{dynamics}</joint>'


# --- MJCF -----------------------------------------------------------------------------------------------------------------


def random_mjcf(seed):
    """The text of a model of 1 to 20 bodies with several joints each, masses given or left to shapes, and directions said in all
    ways; with default classes, frames and the compiler's settings."""
    rng = np.random.default_rng(seed)
    degree, sequence = bool(rng.integers(2)), str(rng.choice(["xyz", "XYZ", "zyx", "YZX", "xzx"]))
    unit = RAD if degree else 1.0
    writer = _Mjcf(rng, unit, degree)
    compiler = f'<compiler angle="{"degree" if degree else "radian"}" eulerseq="{sequence}"'
    compiler += str(
        rng.choice(
            [
                "",
                ' inertiafromgeom="true"',
                ' autolimits="false"',
                ' balanceinertia="true" boundmass="0.01"',
                ' settotalmass="7.5"',
            ]
        )
    )
    trees = "".join(writer.tree(i == 0) for i in range(int(rng.integers(1, 3))))
    names = [name for name, kind in writer.joints if kind in ("hinge", "slide")]
    driven = [names[i] for i in rng.permutation(len(names))[: int(rng.integers(0, 6))]]
    gear = [(name, rng.uniform(-20, 20), rng.uniform(1, 9)) for name in driven]
    actuators = "".join(
        f'<motor name="m-{name}" joint="{name}" gear="{text(g)}" ctrllimited="true" ctrlrange="{text(-c, c)}"/>'
        for name, g, c in gear
    )
    return (
        f'<mujoco model="tree{seed}">{compiler}/>'
        f'<default><joint armature="{text(rng.uniform(0, 0.1))}" damping="0.25"/><geom density="{text(rng.uniform(300, 900))}"/>'
        f'<default class="rod"><geom type="capsule" size="{text(0.05, 0.2)}"/>'
        f'<joint type="slide" axis="{text(*rng.normal(size=3))}" armature="0"/>'
        f'<default class="bar"><geom type="box" size="{text(*rng.uniform(0.05, 0.2, 3))}" mass="1.5"/></default></default></default>'
        f"<worldbody>{trees}</worldbody><actuator>{actuators}</actuator></mujoco>"
    ), {name: abs(g) * c for name, g, c in gear}


class _Mjcf:
    def __init__(self, rng, unit, degree):
        self.rng, self.unit, self.degree = rng, unit, degree
        self.count, self.joints = 0, []

    def tree(self, floats):
        """A body on the world, and those on it."""
        n = int(self.rng.integers(1, 11))
        parents = [-1, *(int(self.rng.integers(max(0, i - 3), i)) for i in range(1, n))]
        parts = [self.body(i, floats and i == 0) for i in range(n)]
        for i in range(n - 1, 0, -1):
            parts[parents[i]] = parts[parents[i]][: -len("</body>")] + parts[i] + "</body>"
        if self.rng.integers(3) == 0:
            return f'<frame {self.turn()} pos="{text(*self.rng.normal(size=3))}">{parts[0]}</frame>' if not floats else parts[0]
        return parts[0]

    def turn(self):
        rng = self.rng
        kind = str(rng.choice(["quat", "euler", "axisangle", "xyaxes", "zaxis", ""]))
        if kind == "euler":
            return f'euler="{text(*(self.unit * rng.normal(size=3)))}"'
        if kind == "axisangle":
            return f'axisangle="{text(*rng.normal(size=3), self.unit * rng.normal())}"'
        size = {"quat": 4, "xyaxes": 6, "zaxis": 3, "": 0}[kind]
        return f'{kind}="{text(*rng.normal(size=size))}"' if kind else ""

    def body(self, number, floats):
        rng, name = self.rng, f"b{self.count}"
        self.count += 1
        child = str(rng.choice(["", ' childclass="rod"', ' childclass="bar"']))
        found = f'<body name="{name}"{child} pos="{text(*rng.normal(0, 0.4, 3))}" {self.turn()}>'
        found += self.free(name) if floats and rng.integers(4) else self.chain(name)
        if rng.integers(2):
            mass = rng.uniform(0.3, 3.0)
            inertia = physical_inertia(rng, mass)
            moments = np.sort(
                np.linalg.eigvalsh(
                    np.array(
                        [
                            [inertia[0], inertia[3], inertia[4]],
                            [inertia[3], inertia[1], inertia[5]],
                            [inertia[4], inertia[5], inertia[2]],
                        ]
                    )
                )
            )
            said = f'fullinertia="{text(*inertia)}"' if rng.integers(2) else f'diaginertia="{text(*moments[::-1])}" {self.turn()}'
            found += f'<inertial pos="{text(*rng.normal(0, 0.2, 3))}" mass="{text(mass)}" {said}/>'
        for k in range(int(rng.integers(1, 4))):
            geom = self.geom(f"{name}-g{k}")
            found += f'<frame {self.turn()} pos="{text(*rng.normal(0, 0.2, 3))}">{geom}</frame>' if rng.integers(4) == 0 else geom
        found += f'<site name="{name}-s" pos="{text(*rng.normal(size=3))}" {self.turn()}/>'
        return found + "</body>"

    def free(self, name):
        self.joints.append((f"{name}-free", "free"))
        return f'<freejoint name="{name}-free"/>'

    def chain(self, name):
        """No joint to three, a ball last."""
        found = ""
        count = int(self.rng.integers(0 if self.count > 1 else 1, 4))
        for k in range(count):
            kind = str(self.rng.choice(["hinge", "hinge", "slide"] + (["ball"] if k == count - 1 else [])))
            found += self.joint(f"{name}-j{k}", kind)
        return found

    def joint(self, name, kind):
        rng = self.rng
        self.joints.append((name, kind))
        place = f'pos="{text(*rng.normal(0, 0.2, 3))}"' if rng.integers(3) else ""
        axis = f'axis="{text(*rng.normal(size=3))}"' if kind != "ball" and rng.integers(4) else ""
        if kind == "ball":
            return f'<joint name="{name}" type="ball" {place} armature="{text(rng.uniform(0, 0.1))}"/>'
        unit = self.unit if kind == "hinge" else 1.0
        ref = f'ref="{text(unit * rng.normal())}"' if rng.integers(3) == 0 else ""
        limits = f'limited="true" range="{text(-unit * rng.uniform(0, 2), unit * rng.uniform(0, 2))}"' if rng.integers(2) else ""
        spring = f'stiffness="{text(rng.uniform(1, 9))}" springref="{text(unit * rng.normal())}"' if rng.integers(3) == 0 else ""
        return f'<joint name="{name}" type="{kind}" {place} {axis} {ref} {limits} {spring} frictionloss="{text(rng.uniform(0, 1))}"/>'

    def geom(self, name):
        rng = self.rng
        kind = str(rng.choice(["sphere", "capsule", "cylinder", "ellipsoid", "box", "fromto", "class"]))
        mass = str(rng.choice(["", f'mass="{text(rng.uniform(0.1, 2.0))}"', f'density="{text(rng.uniform(100, 900))}"']))
        place = f'pos="{text(*rng.normal(0, 0.2, 3))}" {self.turn()}'
        if kind == "fromto":
            shape = str(rng.choice(["capsule", "cylinder", "box", "ellipsoid"]))
            return f'<geom name="{name}" class="main" type="{shape}" size="0.04" fromto="{text(*rng.normal(0, 0.2, 6))}" {mass}/>'
        if kind == "class":
            return f'<geom name="{name}" class="{rng.choice(["rod", "bar"])}" {place} {mass}/>'
        size = text(*rng.uniform(0.03, 0.2, 3))
        return f'<geom name="{name}" class="main" type="{kind}" size="{size}" {place} {mass}/>'
