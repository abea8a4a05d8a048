"""Small humanoids as URDF text, with legs of six joints in different orders."""

INERTIA = '<inertia ixx="{0}" iyy="{0}" izz="{0}"/>'


def link(name, mass, com=(0, 0, 0), size=0.01, sole=None):
    """A link, perhaps with a box to stand on: (x, y, z) and its lengths."""
    at = " ".join(map(str, com))
    shape = ""
    if sole:
        place, lengths = (" ".join(map(str, row)) for row in sole)
        shape = f'<collision><origin xyz="{place}"/><geometry><box size="{lengths}"/></geometry></collision>'
    return (
        f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/>{INERTIA.format(size)}</inertial>{shape}</link>'
    )


def joint(name, parent, child, at, axis, limits=(-2.5, 2.5), effort=150):
    place, way = (" ".join(map(str, row)) for row in (at, axis))
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{place}"/>'
        f'<axis xyz="{way}"/><limit lower="{limits[0]}" upper="{limits[1]}" effort="{effort}" velocity="20"/></joint>'
    )


WAYS = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
# of a leg from the pelvis outward: axis, and where the joint is on the link before, forward, to the side, up
ORDERS = {
    "yaw roll pitch": (
        ("z", 0, 0.09, -0.1),
        ("x", 0, 0, 0),
        ("y", 0, 0, 0),
        ("y", 0, 0, -0.38),
        ("y", 0, 0, -0.36),
        ("x", 0, 0, 0),
    ),
    "pitch roll yaw, offset": (
        ("y", 0, 0.06, -0.08),
        ("x", 0, 0.03, -0.03),
        ("z", 0.02, 0, -0.1),
        ("y", -0.02, 0.004, -0.24),
        ("x", 0.01, 0, -0.33),
        ("y", 0, 0, -0.02),
    ),
    "roll yaw pitch, offset": (
        ("x", -0.06, 0.06, 0),
        ("z", 0.06, 0.04, -0.08),
        ("y", 0, -0.02, -0.05),
        ("y", 0, 0.01, -0.3),
        ("y", 0, 0, -0.32),
        ("x", 0.01, 0, -0.02),
    ),
}


def humanoid(order="yaw roll pitch", back=False, waist=False, joints=6, sole=(0.2, 0.1, 0.02)):
    """A robot of about 35 kg. `back` has it face along -x in its file, `waist` its legs hang on a joint below the torso."""
    s = -1 if back else 1

    def to(row):  # a place or way of a robot that faces along x
        return (s * row[0], s * row[1], row[2])

    parts = [link("torso", 18, (0, 0, 0.2), 0.4)]
    hips = "torso"
    if waist:
        parts += [link("pelvis", 4, (0, 0, -0.05), 0.03), joint("waist", "torso", "pelvis", (0, 0, -0.02), (0, 0, 1))]
        hips = "pelvis"
    for side, y in (("left", 1), ("right", -1)):
        parent = hips
        for k, (axis, *at) in enumerate(ORDERS[order][:joints]):
            last, mass = k == joints - 1, (0.3, 0.3, 3.0, 2.0, 0.2, 1.0)[k]
            com = (0, 0, -0.15) if k in (2, 3) else (0, 0, -0.02)
            foot = ((to((0.03, 0, -0.06))), sole) if last else None
            parts.append(link(f"{side}_{k}", mass, com, 0.03 if k in (2, 3) else 0.003, foot))
            place = to((at[0], y * at[1], at[2]))
            limits = (0, 2.4) if k == 3 and not back else (-2.4, 0) if k == 3 else (-1.6, 1.6)
            parts.append(joint(f"{side}_joint_{k}", parent, f"{side}_{k}", place, WAYS[axis], limits))
            parent = f"{side}_{k}"
        parts.append(link(f"{side}_arm", 1.5, (0, 0, -0.2), 0.02))
        parts.append(joint(f"{side}_shoulder", "torso", f"{side}_arm", to((0, y * 0.2, 0.4)), (0, 1, 0), effort=30))
    return f'<robot name="humanoid">{"".join(parts)}</robot>'
