"""Single bodies to drop, roll and push."""

import footfall as ff


def box(space, mass=10.0):
    """0.4 m long, 0.2 m high, and 0.3 m wide in space."""
    if space == "planar":
        link, shape = ff.Link("box", mass, inertia=0.2), ff.Box("box", (0.4, 0.2))
    else:
        link, shape = ff.Link("box", mass, inertia=(0.1, 0.2, 0.25)), ff.Box("box", (0.4, 0.3, 0.2))
    joint = ff.Joint("base", "planar" if space == "planar" else "free", "world", "box")
    return ff.Robot("box", space, (link,), (joint,), feet=(ff.Foot("box", (shape,)),))


def ball(radius=0.1):
    """1 kg and 0.004 kg m2."""
    return ff.Robot(
        "ball",
        "planar",
        (ff.Link("ball", 1.0, inertia=0.004),),
        (ff.Joint("base", "planar", "world", "ball"),),
        feet=(ff.Foot("ball", (ff.Arc("ball", radius),)),),
    )


def plank():
    """A sole of 0.4 m and 2 kg, its mass above its middle."""
    return ff.Robot(
        "plank",
        "planar",
        (ff.Link("plank", 2.0, (0.0, 0.05), 0.03),),
        (ff.Joint("base", "planar", "world", "plank"),),
        feet=(ff.Foot("plank", (ff.HeelToe("plank", (-0.2, 0.0), (0.2, 0.0)),)),),
    )
