"""The look of robots: parts that are where the declaration has them, and colours that every eye tells apart."""

import numpy as np
import pytest

import footfall as ff
from footfall.errors import StateError, UnknownNameError
from footfall.model.shapes import balls_of, zero_places
from footfall.view.look import DEPTH, LEFT, MIDDLE, RIGHT, extent, parts, rgb, standing
from footfall.view.picture import Silhouette
from footfall.view.shapes import mesh, shapes


def points(robot, link, part):
    """Balls of a part in the zero position: centres in the world, and radii."""
    place = zero_places(robot)[link]
    return place.at + part.centers @ place.axes.T, part.radii


@pytest.mark.parametrize("name", ff.robots.names())
def test_nothing_is_drawn_below_the_soles(name):
    """The lowest point that is drawn is the lowest that touches."""
    robot = ff.robots.load(name)
    places = zero_places(robot)
    pads = [pad for foot in robot.feet for pad in foot.pads]
    if not pads:
        return
    floor = min(places[pad.link].point(at)[2] - r for pad in pads for at, r in balls_of(pad, robot.dim))
    drawn = min(
        (z[:, 2] - r).min() for link, found in parts(robot).items() for part in found for z, r in [points(robot, link, part)]
    )
    assert drawn == pytest.approx(floor, abs=1e-9)


@pytest.mark.parametrize("name", ["johnnie", "simbicon", "person", "ono", "ranger"])
def test_left_and_right_have_the_same_shape_and_other_colours(name):
    robot = ff.robots.load(name)
    found = parts(robot)
    one, two = ("outer", "inner") if name == "ranger" else ("left", "right")
    for link in robot.links:
        if link.name.endswith(one):
            twin = found[link.name.removesuffix(one) + two]
            pairs = ([part for part in each if part.kind != "hinge"] for each in (found[link.name], twin))
            for mine, theirs in zip(*pairs, strict=True):
                assert np.allclose(np.sort(mine.radii), np.sort(theirs.radii))
                assert mine.kind == theirs.kind
                assert mine.color != theirs.color


def test_colours_are_told_apart_without_red_cones_or_without_green_ones():
    """Simulated dichromats (Viénot, Brettel and Mollon 1999, linear RGB): the colours keep a distance."""
    protan = np.array(((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)))
    deutan = np.array(((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)))
    for seen in (np.eye(3), protan, deutan):
        shown = [(np.clip(seen @ (np.array(rgb(color)) / 255) ** 2.2, 0.0, 1.0)) ** (1 / 2.2) for color in (LEFT, RIGHT, MIDDLE)]
        apart = [np.linalg.norm(shown[i] - shown[j]) for i in range(3) for j in range(i)]
        assert min(apart) > 0.2


@pytest.mark.parametrize("name", ["johnnie", "ranger", "simple-biped"])
def test_meshes_are_seen_from_outside(name):
    """The volume inside the faces, by the divergence theorem, is positive."""
    for found in parts(ff.robots.load(name)).values():
        for part in found:
            shape = mesh(part)
            a, b, c = (shape.vertices[shape.faces[:, i]] - shape.vertices.mean(axis=0) for i in range(3))
            assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() > 0.0


def test_a_tapered_limb_has_the_volume_of_balls_and_cone():
    part = next(p for p in parts(ff.robots.load("simbicon"))["thigh_left"] if p.kind == "limb")
    (start, end), (r, s) = part.centers, part.radii
    length = np.linalg.norm(end - start)
    sine = (r - s) / length  # the cone touches both balls at this latitude
    caps = np.pi / 3 * (r**3 * (2 + 3 * sine - sine**3) + s**3 * (2 - 3 * sine + sine**3))
    one, two, cosine = r * np.sqrt(1 - sine**2), s * np.sqrt(1 - sine**2), 1 - sine**2
    cone = np.pi / 3 * length * cosine * (one**2 + one * two + two**2)
    shape = mesh(part)
    a, b, c = (shape.vertices[shape.faces[:, i]] for i in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(caps + cone, rel=0.04)  # a circle has 20 corners


def test_a_trunk_reaches_to_its_top():
    """RABBIT's torso ends where its frame is; the declared torso of Wendlandt's biped is taller than its limbs tell."""
    rabbit = ff.robots.load("rabbit")
    top = max((z[:, 2] + r).max() for part in parts(rabbit)["torso"] for z, r in [points(rabbit, "torso", part)])
    assert top == pytest.approx(0.625, abs=1e-9)
    assert extent(ff.robots.load("wendlandt-3d")) > ff.view.shapes.height_of(ff.robots.load("wendlandt-3d")) + 0.2


def test_a_silhouette_moves_with_its_robot():
    from matplotlib.figure import Figure

    robot = ff.robots.load("simbicon")
    shown = Silhouette(robot, Figure().subplots())
    q = robot.neutral()
    shown.move(q)
    before = [path.vertices.copy() for path in shown.artist.get_paths()]
    q[:2] += (3.0, 0.5)
    shown.move(q)
    for old, new in zip(before, shown.artist.get_paths(), strict=True):
        assert np.allclose(new.vertices, old + np.array((3.0, 0.5)))


def test_pictures_of_a_robot(tmp_path):
    robot = ff.robots.load("johnnie")
    figure = ff.view.picture(robot, path=tmp_path / "j.svg", inertia=True)
    assert len(figure.axes) == 3
    assert (tmp_path / "j.svg").read_text().startswith("<?xml")
    assert len(ff.view.picture(robot, view="front").axes) == 1
    with pytest.raises(UnknownNameError, match="side"):
        ff.view.picture(ff.robots.load("ono"), view="space")
    with pytest.raises(StateError):
        ff.view.picture(robot, [1.0])
    with pytest.raises(StateError, match="must be a Robot"):
        ff.view.picture("johnnie")


@pytest.mark.parametrize("name", ["ranger", "compass", "kneed-walker", "ono", "rabbit", "simbicon", "simple-biped", "wendlandt"])
def test_no_leg_hides_another(name):
    """In pictures of a planar robot without q."""
    robot = ff.robots.load(name)
    poses = ff.kinematics.LinkPoses(robot).by_name(standing(robot))
    one, two = ("outer", "inner") if name == "ranger" else ("left", "right")
    for link in robot.links:
        if link.name.endswith(one):
            mine, twin = ([poses[each].rotation[:, 2]] for each in (link.name, link.name.removesuffix(one) + two))
            assert np.linalg.norm(mine[0] - twin[0]) > 0.15


def test_robots_that_hide_nothing_are_drawn_in_their_zero_position():
    for name in ("johnnie", "chain", "pendulum", "rimless-wheel"):
        robot = ff.robots.load(name)
        assert np.array_equal(standing(robot), robot.neutral())


def test_the_picture_of_a_run_is_its_end():
    run = ff.simulate(ff.studies.load("simbicon-walk"), seconds=0.3)
    of_run, of_robot = ff.view.picture(run), ff.view.picture(run.robot, run.q[-1])
    one, two = ([path.vertices for path in each.axes[0].collections[0].get_paths()] for each in (of_run, of_robot))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert of_run.get_suptitle() == "simbicon-walk at 0.3 s"


@pytest.mark.parametrize("name", ["johnnie", "ranger"])
def test_all_poses_by_name(name):
    robot = ff.robots.load(name)
    q = ff.kinematics.random_configuration(robot, 3)
    for name, pose in ff.kinematics.LinkPoses(robot).by_name(q).items():
        assert np.allclose(pose.matrix, ff.kinematics.pose(robot, q, name).matrix, rtol=0.0, atol=1e-14)


def test_a_block_has_depth_and_a_board_casts_no_stripes_onto_itself():
    block = ff.studies.load("newton-block").robot
    [[shape]] = [shapes(block, "block")]
    assert np.ptp(shape.vertices, axis=0) == pytest.approx((0.3, DEPTH * np.hypot(0.15, 0.05), 0.1))
    assert shape.shades
    cart = ff.studies.load("lipm-preview").robot
    [board] = [part for link in parts(cart).values() for part in link if part.kind == "board"]
    assert not mesh(board).shades
