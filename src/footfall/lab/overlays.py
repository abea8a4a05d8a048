"""Physics that is drawn into the scene: forces, contact modes, pressure and support, centre of mass, DCM, trails, torques.

Each overlay is an object with a name that the page shows beside a switch; `update` is asked about thirty times a second while
it is on. What they show is computed by `footfall.analysis`.

A page compiles shaders anew for things that are added, and for a cloud of points whose colours change; that stops it for a
moment. So what comes and goes stays in the scene and is made invisible, and only values that changed are sent.
"""

from collections import deque
from typing import Any

import numpy as np

from footfall import analysis, kinematics
from footfall.analysis.pressure import support
from footfall.engines.engine import BODY
from footfall.errors import FootfallError
from footfall.lab.scene import Scene
from footfall.lab.source import Source
from footfall.model.layout import lift
from footfall.model.parts import WORLD
from footfall.motion.dcm import dcm_of
from footfall.view import stage
from footfall.view.look import MIDDLE, Part, aside
from footfall.view.shapes import colors, mesh

WEIGHT = 0.45  # robot's heights: the arrow of a force as large as the robot's weight
LONGEST = 2.0  # weights: no arrow is longer
EARTH = 9.81  # m/s2
FORCE, IMPULSE, PUSH, WEIGHS = (79, 143, 60), (200, 60, 40), (224, 161, 0), (110, 110, 120)
MODES = stage.linear([(185, 185, 190), (47, 133, 90), (221, 107, 32)])  # open, stick, slide
TRACE = 4.0  # s of a trace
POINTS = 240  # of a trace
BESIDE = 0.055  # robot's heights: from the middle of a foot toward the camera of a side view, past its edge
FAR_BELOW = np.array((0.0, 0.0, -1e4))  # m: where things are that are not seen now
PUSHES = 4  # that are shown at a time


class Overlay:
    """One thing to see."""

    name, on, help = "", False, ""

    def __init__(self, scene: Scene):
        self.scene, self.tall = scene, scene.tall
        self.shown = type(self).on
        self._handles: dict[str, Any] = {}
        self._beside: dict[str, np.ndarray] = {}
        self.root = f"/world/overlays/{type(self).__name__.lower()}"
        self.near = np.array((0.0, -0.12 * self.tall if scene.planar else 0.0, 0.0))  # toward the camera of a side view

    def update(self, source: Source, slow: bool) -> None: ...

    def hide(self) -> None:
        for handle in self._handles.values():
            handle.remove()
        self._handles.clear()

    def beside(self, foot: str) -> np.ndarray:
        """Toward the camera from a foot, which stands aside in a side view."""
        if foot not in self._beside:
            y = aside(self.scene.robot, foot.removesuffix(BODY)) - BESIDE * self.tall if self.scene.planar else 0.0
            self._beside[foot] = np.array((0.0, y, 0.0))
        return self._beside[foot]

    def draw(self, name: str, add: str, look: dict[str, Any], **values: Any) -> None:
        """Add something to the scene, or give it other values if it is there."""
        handle = self._handles.get(name)
        if handle is None:
            self._handles[name] = getattr(self.scene.server.scene, add)(f"{self.root}/{name}", **values, **look)
            return
        for key, each in values.items():
            if not np.array_equal(getattr(handle, key), each):
                setattr(handle, key, each)
        if not handle.visible:
            handle.visible = True

    def drop(self, *names: str) -> None:
        """Let something not be seen for now."""
        for name in names:
            if name in self._handles and self._handles[name].visible:
                self._handles[name].visible = False

    def clear(self) -> None:
        """After a jump in time."""

    def ball(self, name: str, place: np.ndarray, color: tuple[int, int, int], size: float = 0.018) -> None:
        look = {"color": color, "cast_shadow": False, "subdivisions": 2, "radius": size * self.tall}
        self.draw(name, "add_icosphere", look, position=place + self.near)

    def line(self, name: str, points: np.ndarray, color: tuple[int, int, int], thickness: float = 0.006) -> None:
        """A line through points; none if there is one point only."""
        if len(points) < 2:
            self.drop(name)
            return
        segments = (np.stack((points[:-1], points[1:]), axis=1) + self.near).astype(np.float32)
        self.draw(name, "add_line_segments", {"thickness": thickness * self.tall, "colors": color}, points=segments)

    def arrows(self, name: str, arrows: list[np.ndarray], shades: list[tuple[int, int, int]]) -> None:
        """Arrows, each from a point to a point, where they are seen."""
        look = {"shaft_radius": 0.009 * self.tall, "head_radius": 0.024 * self.tall, "head_length": 0.05 * self.tall}
        points, shade = np.array(arrows, np.float32), stage.linear(shades)
        self.draw(name, "add_arrows", look, points=points, colors=shade)


class Forces(Overlay):
    """Ground reaction force of each foot at its centre of pressure, green; with an impact, red. Pushes are yellow."""

    name, on, help = "contact forces", True, "ground reaction of each foot; red with an impact; pushes yellow"

    def update(self, source: Source, slow: bool) -> None:
        contacts, window = source.contacts(slow), source.window(0.03)
        study = window.study
        weight = float(study.robot.mass * max(study.gravity, 1.0))
        feet = list(dict.fromkeys(pad.split("/")[0] for pad in window.pads))
        arrows, shades = [], []
        for foot in feet:
            rows = window.of(foot)
            force = contacts.force[rows].sum(axis=0)
            if np.linalg.norm(force) > 0.01 * weight:
                press = np.abs(contacts.force[rows]).sum(axis=1)
                place = press @ contacts.point[rows] / press.sum() + self.beside(foot)
                arrows.append(self._arrow(place, force / weight))
                shades.append(IMPULSE if window.impacts[-2:, rows].any() else FORCE)
        q, now = source.state()[0], source.time
        acting = [push for push in study.world.pushes[-50:] if push.start <= now < push.end + 0.15]
        for push in acting[-PUSHES:]:
            place = lift(kinematics.pose(study.robot, q, push.on, push.at).position) + self.near
            start, end = self._arrow(place, lift(np.array(push.force)) / weight)
            arrows.append(np.array((start - (end - start), start)))
            shades.append(PUSH)
        unused = len(feet) + PUSHES - len(arrows)  # the page keeps as many arrows as there may be; the rest is far below
        arrows += unused * [np.array((FAR_BELOW, FAR_BELOW + self.tall))]
        shades += unused * [FORCE]
        self.arrows("arrows", arrows, shades)

    def _arrow(self, place: np.ndarray, weights: np.ndarray) -> np.ndarray:
        long = float(np.linalg.norm(weights))
        return np.array((place, place + weights * min(1.0, LONGEST / long) * WEIGHT * self.tall))


class Modes(Overlay):
    """Every pad by its contact mode."""

    name, on, help = "contact modes", True, "pads of feet: grey open, green stick, orange slide; those of links where they touch"

    def __init__(self, scene: Scene):
        super().__init__(scene)
        ball = mesh(Part(np.zeros((1, 3)), np.array((0.016 * self.tall,)), MIDDLE, "mark"))
        self._ball = {"vertices": ball.vertices, "faces": ball.faces, "lod": "off", "cast_shadow": False, "receive_shadow": False}

    def update(self, source: Source, slow: bool) -> None:
        contacts, pads = source.contacts(slow), source.window(0.0).pads
        if len(contacts.mode):
            look = {**self._ball, "batched_wxyzs": np.tile((1.0, 0.0, 0.0, 0.0), (len(contacts.mode), 1))}
            aside_of = np.array([self.beside(pad.split("/")[0]) for pad in pads])
            points, shades = (contacts.point + aside_of).astype(np.float32), MODES[np.minimum(contacts.mode.astype(int), 2)]
            points[np.array([BODY in pad for pad in pads]) & (contacts.mode == 0)] = FAR_BELOW  # of links, only what touches
            self.draw("pads", "add_batched_meshes_simple", look, batched_positions=points, batched_colors=shades)


class Pressure(Overlay):
    """Centre of pressure, zero-moment point, and the polygon of support."""

    name, on, help = "pressure and support", False, "centre of pressure (green), zero-moment point (violet), support polygon"

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        window = source.window(0.05)
        if len(window.time) < 2:
            return
        corners = support(window, len(window.time) - 1)
        cop, zmp = analysis.center_of_pressure(window), analysis.zero_moment_point(window)
        for name, track, color in (("cop", cop, FORCE), ("zmp", zmp, (128, 70, 170))):
            if track.valid[-1]:
                self.ball(name, lift(track.place[-1]), color)
            else:
                self.drop(name)
        if len(corners) and cop.valid[-1]:
            z = float(cop.place[-1, -1]) + 0.004 * self.tall
            points = np.array([(c[0], c[1] if len(c) > 1 else 0.0, z) for c in corners])
            closed = np.concatenate((points, points[:1])) if len(points) > 2 else points
            self.line("support", closed, (60, 90, 160))
        else:
            self.drop("support")


class Centre(Overlay):
    """Centre of mass and its trace."""

    name, on, help = "centre of mass", False, "with its trace over the last seconds"

    def __init__(self, scene: Scene):
        super().__init__(scene)
        self._trace: deque[tuple[float, np.ndarray]] = deque(maxlen=POINTS)

    def clear(self) -> None:
        self._trace.clear()

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        com = self.scene.com.copy()
        if not self._trace or source.time - self._trace[-1][0] >= TRACE / POINTS:
            self._trace.append((source.time, com))
        self.ball("com", com, (40, 40, 40), 0.022)
        self.line("trace", np.array([place for time, place in self._trace if time > source.time - TRACE]), (90, 90, 90), 0.004)


class Gravity(Overlay):
    """Where gravity points to, at the centre of mass."""

    name, on, help = "gravity", False, "an arrow from the centre of mass, as long as that of the weight of the robot on earth"

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        pull = lift(source.now.gravity_vector) / EARTH
        if (size := float(np.linalg.norm(pull))) < 1e-3:
            self.drop("arrow")
            return
        reach = pull * min(1.0, LONGEST / size) * WEIGHT * self.tall
        self.arrows("arrow", [np.array((self.scene.com, self.scene.com + reach)) + self.near], [WEIGHS])


class Divergent(Overlay):
    """The divergent component of motion, or capture point, on the ground."""

    name, on, help = "DCM (capture point)", False, "c + c'/w on the ground, w = sqrt(g/z), shifted where gravity is tilted"

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        x, y, z = self.scene.com
        level = self.scene.level(x, y)
        pull = lift(source.now.gravity_vector)
        gravity = -float(pull[2])
        if z - level < 0.05 * self.tall or gravity < 1e-3:
            self.drop("dcm")
            return
        w = float(np.sqrt(gravity / (z - level)))
        place = dcm_of.plain("spatial")(self.scene.com[:2] + pull[:2] / w**2, self.scene.velocity[:2], w)
        self.ball("dcm", np.array((place[0], place[1], level + 0.01 * self.tall)), (200, 50, 120))


class Trails(Overlay):
    """Where the feet went."""

    name, on, help = "foot trails", False, "paths of the feet over the last seconds"

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        window = source.window(TRACE)
        thin = slice(None, None, max(1, len(window.time) // POINTS))
        for foot in dict.fromkeys(pad.split("/")[0] for pad in window.pads):
            if foot.endswith(".body"):
                continue
            path = np.array([lift(row) for row in window.point[thin, window.of(foot)].mean(axis=1)])
            self.line(foot.replace("/", "_"), path + self.beside(foot) - self.near, colors(foot), 0.005)


class Torques(Overlay):
    """Links coloured by the torque of the joint that carries them."""

    name, on, help = "torques as colour", False, "links: pale without torque, red with the largest one so far"

    def __init__(self, scene: Scene):
        super().__init__(scene)
        robot = scene.robot
        first = robot.tree.first_v
        self._dof = {
            joint.child: int(first[i])
            for i, joint in enumerate(robot.layout.joints, start=1)
            if joint.motor and joint.parent != WORLD
        }
        self._largest, self._own = 1e-6, {key: limb.color for key, limb in scene.links.meshes.items()}

    def update(self, source: Source, slow: bool) -> None:  # noqa: ARG002
        tau = np.abs(source.window(0.02).tau[-1])
        self._largest = max(self._largest, float(tau[list(self._dof.values())].max()) if self._dof else 0.0)
        for (link, _), limb in self.scene.links.meshes.items():
            if link in self._dof:
                step = round(12 * tau[self._dof[link]] / self._largest)
                if limb.color != (color := (225, 220 - 14 * step, 215 - 15 * step)):
                    limb.color = color

    def hide(self) -> None:
        for key, limb in self.scene.links.meshes.items():
            limb.color = self._own[key]


KINDS: tuple[type[Overlay], ...] = (Forces, Modes, Pressure, Centre, Gravity, Divergent, Trails, Torques)


class Overlays:
    """All of them; one that fails is switched off and says so."""

    def __init__(self, scene: Scene):
        self.each = {kind.name: kind(scene) for kind in KINDS}

    def switch(self, name: str, on: bool) -> None:
        overlay = self.each[name]
        overlay.shown = on
        if not on:
            overlay.hide()

    def clear(self) -> None:
        for overlay in self.each.values():
            overlay.clear()

    def update(self, source: Source, slow: bool) -> list[tuple[str, str]]:
        """What went wrong, each with the name of the overlay."""
        wrong = []
        for overlay in self.each.values():
            if overlay.shown:
                try:
                    overlay.update(source, slow)
                except (FootfallError, ValueError, ArithmeticError) as error:
                    overlay.shown = False
                    wrong.append((overlay.name, str(error)))
        return wrong
