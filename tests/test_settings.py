"""Parameters, goals and the world changed while a run is under way: checked, in effect at the next tick, saved, replayed."""

import contextlib
import random
from dataclasses import dataclass, replace

import numpy as np
import pytest

import footfall as ff
from footfall.control import Compiled, Controller, Follow, Hold, Layered, Simbicon
from footfall.control.controller import ControlError
from footfall.control.fields import states
from footfall.core.jit import kernel
from footfall.engines import Maximal
from footfall.errors import FileError, FootfallError, ParameterError, SimulationError, UnknownNameError
from footfall.model.quantity import ROW, quantity
from footfall.sensors import Encoders
from footfall.sim.settings import Setting
from footfall.sim.study import Study
from footfall.sim.study_json import parse_study, study_text
from footfall.world import Change, Compliant, Flat, Function, Load, Push, Rigid, Slope, Stairs, World


def arm(friction=0.0):
    """Two driven hinges that hang from the world."""
    links = tuple(ff.Link(name, 1.0, (0, -0.5), 0.02) for name in ("upper", "lower"))
    joints = (
        ff.Joint("shoulder", "revolute", "world", "upper", motor=ff.Motor(torque=1e3), friction=friction),
        ff.Joint("elbow", "revolute", "upper", "lower", at=(0, -1.0), motor=ff.Motor(), spring=ff.Spring(0.0)),
    )
    return ff.Robot("arm", "planar", links, joints)


def box(**more):
    """A block on the ground."""
    link = ff.Link("box", 2.0, (0, 0), 0.02)
    base = ff.Joint("base", "planar", "world", "box")
    return ff.Robot("box", "planar", (link,), (base,), feet=(ff.Foot("foot", (ff.Box("box", (0.2, 0.1)),)),), **more)


def lean(obs, params, state, goal, command):
    """A constant torque from a table that `prepare` made, and one from the goal; it counts its ticks."""
    state.ticks += 1
    state.last = params.gain
    command.tau[0] = params.gain * params.table[1] + goal.angle + params.row[0]
    command.tau[1] = params.weight
    return 0


@dataclass(frozen=True)
class Lean(Controller):
    gain: float = quantity("N m", "of the torque", 1.0, low=0.0, high=10.0)
    angle: float = quantity("rad", "at the start", 0.0, low=-3.0, high=3.0)
    row: tuple[float, ...] = quantity("N m", "more", (0.5,), shape=ROW)

    class State:
        ticks: int = 0
        last: float = 0.0

    class Goal:
        angle: float = 0.0
        mode: int = states("calm", "keen")

    def prepare(self, robot, q, gravity):
        return {"table": np.array([0.0, 2.0 * self.gain]), "weight": 0.01 * gravity}

    law = lean


class LeanCompiled(Lean):
    law = kernel(lean)


class Top(Controller):
    class Goal:
        up: float = 0.0

    @kernel
    def law(obs, params, state, goal, command):
        command.angle = goal.up
        return 0


def torque(gain, angle, gravity, row=0.5):
    return gain * 2.0 * gain + angle + row, 0.01 * gravity


# --- what takes effect, and when ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Lean, LeanCompiled])
def test_parameters_goals_and_gravity_take_effect_at_the_next_tick(kind):
    """The torques of the law are known in closed form; nothing of the controller's state is lost."""
    simulation = ff.Simulation(Study(arm(), controller=kind(rate=100.0), record_dt=0.001, record=("controller",)))
    simulation.advance(0.025)
    simulation.set("controller.gain", 3.0)
    simulation.set("goal.angle", 0.25)
    simulation.set("world.gravity", 1.62)
    simulation.advance(0.025)
    simulation.set("controller.row", (2.0, 3.0, 4.0))  # of another length
    simulation.advance(0.02)
    run = simulation.run()
    first, second, third = torque(1.0, 0.0, 9.81), torque(3.0, 0.25, 1.62), torque(3.0, 0.25, 1.62, 2.0)
    for time, row in zip(run.time, run.tau, strict=True):
        tick = np.floor(time * 100 + 1e-9) / 100  # asked at 0, 10, 20 ms; 25 and 50 ms are when it was set
        assert tuple(row) == pytest.approx(first if tick <= 0.02 else second if tick <= 0.05 else third)
    assert run["controller.state.ticks"].tolist() == [1 + i // 10 for i in range(len(run.time))]
    assert run.replay() == run


def test_python_and_compiled_give_the_same_bits():
    runs = []
    for kind in (Lean, LeanCompiled):
        simulation = ff.Simulation(Study(arm(), controller=kind()))
        for gain in (0.5, 2.0, 7.0):
            simulation.advance(0.05)
            simulation.set("controller.gain", gain)
            simulation.set("controller.row", (gain,))
        simulation.advance(0.1)
        runs.append(simulation.run())
    assert runs[0] == runs[1]


def test_parameters_of_a_law_by_itself():
    """Those of `Compiled` have names and shapes, though no ranges."""

    def law(obs, params, state, goal, command):
        command.tau[0] = params.gain * params.row[params.which]
        return 0

    given = {"gain": 2.0, "row": (1.0, 10.0), "which": 0}
    simulation = ff.Simulation(Study(arm(), controller=Compiled(1000.0, law, given), record_dt=0.001))
    simulation.advance(0.0)
    for name, value in {"controller.gain": 3.0, "controller.params.which": 1, "row": (2.0, 20.0)}.items():
        simulation.advance(0.01)
        simulation.set(name, value)
    simulation.advance(0.01)
    run = simulation.run()
    assert run.tau[[5, 15, 25, 35], 0].tolist() == [2.0, 3.0, 30.0, 60.0]
    assert run.replay() == run
    for name, value in {"controller.gain": (1.0, 2.0), "row": 1.0, "which": 0.5, "gain": float("nan"), "gian": 1.0}.items():
        with pytest.raises(FootfallError):
            simulation.set(name, value)
    assert ff.with_parameters(simulation.study, {"controller.gain": 7}).controller.params["gain"] == 7.0


def test_gravity_changes_the_fall():
    """A box falls with 9.81 m/s2 for 0.1 s, then with 1.62; closed form, to the error of a step."""
    simulation = ff.Simulation(Study(box(), q=(0.0, 10.0, 0.0)))
    simulation.advance(0.1)
    simulation.set("world.gravity", "1.62 m/s2")
    simulation.advance(0.1)
    assert simulation.run().v[-1, 1] == pytest.approx(-(0.1 * 9.81 + 0.1 * 1.62), abs=9.81e-3)


@pytest.mark.parametrize("engine", [ff.engines.TimeStepping(), Maximal()])
def test_friction_changes_the_slide(engine):
    """A box that slides loses mu g: twice as much friction, twice as fast."""
    study = Study(box(), World(contact=Rigid(0.1), falls=False), q=(0.0, 0.05, 0.0), v=(3.0, 0.0, 0.0), engine=engine)
    simulation = ff.Simulation(study)
    simulation.advance(0.5)
    before = simulation.run()
    simulation.set("world.friction", 0.2)
    simulation.advance(0.5)
    after = simulation.run()
    slowed = 3.0 - before.v[-1, 0], before.v[-1, 0] - after.v[-1, 0]
    assert slowed == pytest.approx((0.1 * 9.81 * 0.5, 0.2 * 9.81 * 0.5), rel=5e-3)
    assert after.replay() == after


def test_restitution_and_the_whole_contact_law():
    """A bounce as high as the fall; then ground like springs, into which the box sinks by its weight over their stiffness."""
    study = Study(box(), World(falls=False), q=(0.0, 0.05 + 0.1, 0.0))
    heights = []
    for name, value in {"world.contact.restitution": 1.0, "contact": Rigid(0.8, 1.0)}.items():
        simulation = ff.Simulation(study)
        simulation.advance(0.05)
        simulation.set(name, value)
        simulation.advance(0.3)
        heights.append(simulation.run().q[15:, 1].max())
    assert heights[0] == heights[1] == pytest.approx(0.15, rel=0.02)
    simulation.set("world.contact", Compliant(0.8, 1e4, 1e2))
    simulation.advance(2.0)
    assert simulation.run().q[-1, 1] == pytest.approx(0.05 - 2.0 * 9.81 / 2e4, abs=1e-6)


def test_ground_that_sinks_and_ground_that_would_rise_into_a_foot():
    simulation = ff.Simulation(Study(box(), World(falls=False), q=(0.0, 0.05, 0.0)))
    simulation.advance(0.1)
    state = simulation.run()
    with pytest.raises(SimulationError, match="this ground would have 'foot/corner1' 0.0\\d+ m inside it at 0.1000 s"):
        simulation.set("world.terrain", Slope(0.2))
    assert simulation.run() == state
    assert simulation.study.settings == ()
    simulation.set("world.terrain", Slope(-0.1, z=-0.3))
    simulation.set("world.terrain.angle", "-5 deg")
    simulation.advance(0.5)
    run = simulation.run()
    assert run.q[-1, 1] < -0.2
    assert [each.name for each in run.study.settings] == ["world.terrain", "world.terrain.angle"]
    assert run.study.settings[1].value == pytest.approx(np.radians(-5))
    assert run.replay() == run


def test_ground_with_edges_may_come():
    study = Study(box(), World(contact=Rigid(0.1), falls=False), q=(0.0, 0.05, 0.0), v=(2.0, 0.0, 0.0))
    simulation = ff.Simulation(study)
    simulation.advance(0.05)
    simulation.set("terrain", Stairs(-0.1, 0.3))
    simulation.advance(0.6)
    run = simulation.run()
    assert run.q[-1, 1] < 0.0
    assert run.replay() == run


def test_a_change_of_the_ground_has_the_last_word():
    world = World(changes=(Change(0.1, contact=Rigid(0.2)),), falls=False)
    simulation = ff.Simulation(Study(box(), world, q=(0.0, 0.05, 0.0), v=(2.0, 0.0, 0.0)))
    simulation.advance(0.05)
    simulation.set("world.contact.friction", 0.0)
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="no effect: since 0.1 s the contact is that of world.changes.0"):
        simulation.set("world.contact.friction", 0.5)
    simulation.set("world.changes.0.contact.friction", 0.4)
    simulation.advance(0.1)
    run = simulation.run()
    rate = -np.diff(run.v[:, 0]) / np.diff(run.time)
    assert rate[[7, 12, 20]] == pytest.approx([0.0, 0.2 * 9.81, 0.4 * 9.81], abs=0.02)
    assert run.replay() == run


def test_pushes_and_loads_that_are_under_way():
    study = Study(
        box(), World(pushes=(Push("box", (1.0, 0.0), 0.0, 1.0),), loads=(Load("box", 2.0),), falls=False), q=(0.0, 5.0, 0.0)
    )
    simulation = ff.Simulation(study)
    simulation.advance(0.1)
    simulation.set("world.pushes.0.force", "-2 N, 0 N")
    simulation.set("world.loads.0.mass", 6.0)
    simulation.advance(0.1)
    run = simulation.run()
    rate = np.diff(run.v[:, 0]) / np.diff(run.time)
    assert rate[[4, 15]] == pytest.approx([1.0 / 4.0, -2.0 / 8.0], rel=1e-9)
    assert run.replay() == run


def test_what_is_at_the_joints():
    """Motor limits, springs and dampers: accelerations of one hinge in closed form."""
    simulation = ff.Simulation(Study(arm(friction=0.5), World(gravity=0.0), Lean(row=(5.0,)), record_dt=0.001))
    simulation.advance(0.01)
    simulation.set("shoulder.motor.torque", 2.0)
    simulation.advance(0.01)
    assert simulation.run().tau[[5, 15], 0].tolist() == [7.0, 2.0]
    simulation.set("robot.joints.shoulder.friction", 5.0)
    simulation.set("shoulder.damping", 50.0)
    simulation.set("elbow.spring.stiffness", 3.0)
    simulation.advance(0.3)
    run = simulation.run()
    assert abs(run.v[-1, 0]) < 1e-3  # friction holds it
    assert run.replay() == run
    with pytest.raises(SimulationError, match="dry friction cannot appear at a joint"):
        simulation.set("elbow.friction", 1.0)
    with pytest.raises(SimulationError, match="robot.links.upper.mass cannot be set while a run is under way: masses"):
        simulation.set("robot.links.upper.mass", 2.0)


def test_sensors_change_their_errors():
    class Watch(Controller):
        def law(obs, params, state, goal, command):
            return 0

    study = Study(
        arm(), World(gravity=0.0), Watch(), sensors=(Encoders(resolution=1e-6),), record=("sensors",), q=(0.1234567, 0.0)
    )
    simulation = ff.Simulation(study)
    simulation.advance(0.05)
    simulation.set("sensors.0.resolution", 0.1)
    simulation.advance(0.05)
    run = simulation.run()
    assert run["obs.q.shoulder"][3] == pytest.approx(0.123457, abs=1e-9)
    assert run["obs.q.shoulder"][-1] == pytest.approx(0.1, abs=1e-12)
    assert run.replay() == run
    for name, value in {"delay": 0.002, "rate": 500.0, "seed": 3}.items():
        with pytest.raises(SimulationError, match="rate, delay and seed of a sensor"):
            simulation.set(f"sensors.0.{name}", value)
    assert simulation.now.sensors[0].resolution == 0.1


def test_falls_can_be_forgiven():
    simulation = ff.Simulation(ff.studies.load("simbicon-walk"))
    simulation.advance(0.1)
    simulation.set("world.falls", False)
    simulation.set("controller.stiffness", 0.0)
    simulation.advance(2.0)
    assert simulation.outcome is ff.Outcome.END


# --- layers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [Lean, LeanCompiled])
def test_layers_go_by_their_classes_or_places(inner):
    layers = Layered((Top(100.0), inner(1000.0)))
    simulation = ff.Simulation(Study(arm(), controller=layers, record=("controller.goal",), record_dt=0.001))
    simulation.advance(0.012)
    simulation.set("goal.up", 0.5)  # of the outermost
    simulation.set(f"{inner.__name__}.goal.angle", -1.0)  # until the outer layer is asked again
    simulation.set(f"controller.{inner.__name__}.gain", 2.0)
    simulation.set("layers.1.row", (0.0,))
    simulation.advance(0.02)
    run = simulation.run()
    angle = run[f"controller.{inner.__name__}.goal.angle"]
    assert angle[[12, 13, 19, 20, 31]].tolist() == [0.0, -1.0, -1.0, 0.5, 0.5]
    assert run.tau[[12, 13, 20], 0].tolist() == [2.5, 8.0 - 1.0, 8.0 + 0.5]
    assert [each.name for each in run.study.settings] == [
        "controller.Top.goal.up",
        f"controller.{inner.__name__}.goal.angle",
        "controller.layers.1.gain",
        "controller.layers.1.row",
    ]
    assert run.replay() == run


def test_a_goal_follows_the_parameter_of_its_name_only_when_that_changes():
    simulation = ff.Simulation(Study(arm(), controller=Lean(angle=0.5)))
    simulation.advance(0.01)
    simulation.set("goal.angle", 2.0)
    simulation.set("controller.gain", 2.0)  # prepared again, but the goal stays
    assert simulation.runtime.layers[0].goal["angle"] == 2.0
    simulation.set("controller.angle", 1.0)
    assert simulation.runtime.layers[0].goal["angle"] == 1.0


def test_rates_can_be_set():
    simulation = ff.Simulation(Study(arm(), controller=Layered((Top(100.0), LeanCompiled(1000.0)))))
    simulation.advance(0.1)
    simulation.set("controller.LeanCompiled.rate", 100.0)
    simulation.advance(0.1)
    assert simulation.runtime.layers[1].state["ticks"] == 101 + 10
    with pytest.raises(ControlError, match="a rate of 300 1/s asks every"):
        simulation.set("layers.1.rate", 300.0)
    assert simulation.run().replay() == simulation.run()


def test_names_of_states_are_goals():
    simulation = ff.Simulation(Study(arm(), controller=Lean()))
    simulation.advance(0.01)
    simulation.set("goal.mode", "keen")
    assert simulation.runtime.layers[0].goal["mode"] == 1
    assert simulation.study.settings[0] == Setting(simulation.time, "controller.goal.mode", 1)
    with pytest.raises(UnknownNameError, match="calm, keen"):
        simulation.set("goal.mode", "kene")


# --- what is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "kind", "said"),
    [
        ("controller.gian", 1.0, UnknownNameError, "controller.gain"),
        ("controller.gain", 11.0, ParameterError, "controller.gain must be from 0 to 10 N m, got 11"),
        ("controller.gain", float("nan"), ParameterError, "must be finite"),
        ("controller.gain", (1.0, 2.0), ParameterError, "must be a number in N m"),
        ("controller.gain", "3 kg", FootfallError, "is in N m, which 'kg' does not measure"),
        ("controller.row", 1.0, ParameterError, "must be a row of numbers"),
        ("goal.angel", 1.0, UnknownNameError, "controller.goal.angle"),
        ("goal.angle", 4.0, ParameterError, "from -3 to 3 rad"),
        ("goal.angle", (1.0,), ParameterError, "must be a number"),
        ("goal.angle", float("nan"), ParameterError, "must be finite"),
        ("goal.mode", 0.5, ParameterError, "must be a whole number"),
        ("goal.mode", None, UnknownNameError, "calm, keen"),
        ("world.gravity", -1.0, ParameterError, "at least 0|from 0 to"),
        ("world.terrain", 3.0, ParameterError, "world.terrain must be a Terrain, got 3.0"),
        ("world.contact", Flat(), ParameterError, "world.contact must be a Contact"),
        ("dt", 0.01, SimulationError, "dt cannot be set while a run is under way: all steps of a run have one length"),
        ("record_dt", 0.01, SimulationError, "all rows of a run are as far apart"),
        ("seconds", 3.0, SimulationError, "advance.seconds. says how long"),
        ("q", (0.0, 0.0), SimulationError, "where the run began"),
        ("v", (0.0, 0.0), SimulationError, "how the run began"),
        ("seed", 3, SimulationError, "one seed"),
        ("record", ("sensors",), SimulationError, "from the beginning"),
        ("robot.joints.elbow.limits", (0.0, 1.0), SimulationError, "stops are those with which the run began"),
        (3, 1.0, SimulationError, "set takes the dotted name"),
    ],
)
@pytest.mark.parametrize("kind_of_law", [Lean, LeanCompiled])
def test_what_is_wrong_is_said_and_changes_nothing(name, value, kind, said, kind_of_law):
    study = Study(arm(), controller=kind_of_law())
    simulation = ff.Simulation(study)
    simulation.advance(0.05)
    with pytest.raises(kind, match=said):
        simulation.set(name, value)
    assert simulation.study.settings == ()
    simulation.advance(0.05)
    assert simulation.run() == ff.simulate(study, seconds=0.1)


def test_shapes_of_goals_are_checked():
    simulation = ff.Simulation(Study(arm(), controller=Follow()))
    simulation.advance(0.01)
    for wrong in (1.0, (1.0,), (1.0, 2.0, 3.0), ((1.0, 2.0),)):
        with pytest.raises(ParameterError, match="controller.goal.angle must be a row of 2 numbers"):
            simulation.set("goal.angle", wrong)
    simulation.set("goal.angle", "0.3, 0.4")
    assert simulation.runtime.layers[0].goal["angle"].tolist() == [0.3, 0.4]


def test_a_prepare_that_refuses_leaves_everything_as_it_was():
    class Picky(Lean):
        def prepare(self, robot, q, gravity):
            if self.gain > 5.0:
                raise ControlError("Picky: too much")
            return super().prepare(robot, q, gravity)

    simulation = ff.Simulation(Study(arm(), controller=Layered((Top(), Picky()))))
    simulation.advance(0.05)
    with pytest.raises(ControlError, match="too much"):
        simulation.set("controller.Picky.gain", 6.0)
    simulation.set("controller.Picky.gain", 5.0)
    simulation.advance(0.05)
    assert simulation.run().replay() == simulation.run()


def test_a_controller_cannot_set_anything():
    class Meddles(Controller):
        def law(obs, params, state, goal, command):
            if obs.time > 0.1:
                simulation.set("world.gravity", 1.0)
            return 0

    simulation = ff.Simulation(Study(arm(), controller=Meddles()))
    with pytest.raises(FootfallError, match="set cannot be called while the simulation advances"):
        simulation.advance(0.5)
    with pytest.raises(SimulationError, match="this run cannot go on"):
        simulation.set("world.gravity", 1.0)


def test_a_hybrid_motion_is_computed_ahead():
    simulation = ff.Simulation(ff.studies.load("compass"))
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="engine Hybrid: the world and the robot cannot be changed"):
        simulation.set("world.gravity", 1.0)
    with pytest.raises(SimulationError, match="engine Hybrid: the world and the robot cannot be changed"):
        ff.simulate(replace(ff.studies.load("compass"), settings=(Setting(0.1, "world.gravity", 1.0),)))


def test_maximal_coordinates_keep_their_rules():
    study = Study(box(), World(falls=False), q=(0.0, 0.05, 0.0), engine=Maximal())
    simulation = ff.Simulation(study)
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="Rigid without restitution"):
        simulation.set("restitution", 0.5)
    with pytest.raises(SimulationError, match="Rigid without restitution"):
        ff.simulate(replace(study, settings=(Setting(0.1, "restitution", 0.5),)))


# --- before the first instant ---------------------------------------------------------------------------------------------


def test_before_the_first_instant_the_study_itself_changes():
    simulation = ff.Simulation(Study(box(), World(falls=False)))
    simulation.set("world.terrain", Flat(1.0))
    simulation.set("dt", 0.002)
    simulation.set("world.gravity", 2.0)
    assert simulation.study.q[1] == pytest.approx(1.05)  # it was put onto the ground again
    assert simulation.study.settings == ()
    simulation.advance(0.1)
    assert simulation.run() == ff.simulate(Study(box(), World(Flat(1.0), gravity=2.0, falls=False), dt=0.002), seconds=0.1)


def test_goals_before_the_first_instant():
    simulation = ff.Simulation(Study(arm(), controller=Lean()))
    simulation.set("goal.angle", 1.0)
    assert simulation.study.controller.angle == 1.0
    with pytest.raises(SimulationError, match="goal.mode can be set once the run has begun"):
        simulation.set("goal.mode", "keen")
    with pytest.raises(ParameterError):
        simulation.set("controller.gain", 100.0)
    simulation.advance(0.01)


# --- studies that declare them --------------------------------------------------------------------------------------------

SCHEDULE = (
    Setting(0.5, "goal.speed", 0.4),
    Setting(0.25, "controller.damping", "31 N m s/rad"),
    Setting(0.5, "world.friction", 0.7),
    Setting(0.7, "world.gravity", 9.6),
    Setting(0.9, "goal.gait", 2),
    Setting(99.0, "world.gravity", 0.0),
)


def schedule():
    return replace(ff.studies.load("simbicon-walk"), seconds=1.2, settings=SCHEDULE, record=("controller",))


def test_a_declared_schedule_is_the_same_as_setting_live():
    declared = ff.simulate(schedule())
    simulation = ff.Simulation(replace(schedule(), settings=()))
    for until, name, value in ((0.25, "controller.damping", 31.0), (0.5, "controller.goal.speed", 0.4), (0.5, "friction", 0.7),
                               (0.7, "gravity", 9.6), (0.9, "controller.goal.gait", 2)):  # fmt: skip
        simulation.advance(until - simulation.time)
        simulation.set(name, value)
    simulation.advance(1.2 - simulation.time)
    run = simulation.run()
    assert run == declared
    assert [each.name for each in declared.study.settings][:2] == ["controller.damping", "controller.goal.speed"]
    both = [[(round(each.time, 9), each.name, each.value) for each in one.study.settings] for one in (run, declared)]
    assert both[0] == both[1][:-1]
    assert run != ff.simulate(replace(schedule(), settings=()))


def test_settings_are_saved_and_replayed(tmp_path):
    run = ff.simulate(replace(schedule(), settings=(*SCHEDULE, Setting(1.0, "terrain", Slope(-0.02, z=-0.01)))))
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.study.settings == run.study.settings
    assert again.replay() == run
    assert "changed on the way" in ff.analysis.summary(run).text()


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ((Setting(0.1, "dt", 0.1),), SimulationError, "dt cannot be set"),
        ((Setting(0.1, "controller.stifness", 0.1),), UnknownNameError, "controller.stiffness"),
        ((Setting(0.1, "controller.stiffness", -1.0),), ParameterError, "at least 0"),
        ((3,), SimulationError, "settings must be a row of Settings"),
        (Setting(0.1, "world.gravity", 1.0), SimulationError, "settings must be a row of Settings"),
    ],
)
def test_declared_settings_are_checked_at_once(settings, kind, said):
    with pytest.raises(kind, match=said):
        replace(ff.studies.load("simbicon-walk"), settings=settings)


@pytest.mark.parametrize("time", [-1.0, float("nan"), None, "soon"])
def test_a_setting_has_a_time(time):
    with pytest.raises(SimulationError, match="time must be"):
        Setting(time, "world.gravity", 1.0)


def test_a_declared_setting_that_cannot_be_applied_ends_the_run_with_its_reason():
    class Picky(Lean):
        def prepare(self, robot, q, gravity):
            if self.gain > 5.0:
                raise ControlError("Picky: too much")
            return super().prepare(robot, q, gravity)

    study = Study(arm(), controller=Picky(), settings=(Setting(0.1, "controller.gain", 6.0),))
    with pytest.raises(SimulationError, match=r"at 0.1000 s controller.gain could not be set: Picky: too much") as caught:
        ff.simulate(study, seconds=0.5)
    assert caught.value.run.time[-1] == pytest.approx(0.1)
    assert caught.value.run.outcome is ff.Outcome.STOPPED


def test_ground_of_a_schedule_that_rises_into_a_foot_ends_the_run():
    study = Study(box(), World(falls=False), q=(0.0, 0.05, 0.0), settings=(Setting(0.1, "world.terrain.z", 0.01),))
    with pytest.raises(SimulationError, match="0.01 m inside it") as caught:
        ff.simulate(study, seconds=0.5)
    assert caught.value.run.time[-1] == pytest.approx(0.1)


def test_settings_of_lost_parts_are_kept():
    ground = Setting(0.05, "world.terrain", Function(lambda x, y: -0.1))
    study = Study(arm(), controller=Lean(), settings=(Setting(0.1, "controller.gain", 2.0),))
    again = parse_study(study_text(study), "it")
    assert again.settings == study.settings
    lost = parse_study(study_text(replace(study, settings=(ground,))), "it")
    with pytest.raises(SimulationError, match="a function, '<lambda>'"):
        ff.simulate(lost, controller=Lean())


def test_a_file_with_a_wrong_setting_is_refused():
    text = study_text(replace(ff.studies.load("simbicon-walk"), settings=(Setting(0.1, "controller.stiffness", 5.0),)))
    for wrong in (text.replace('"value": 5.0', '"value": -5.0'), text.replace("controller.stiffness", "controller.no")):
        with pytest.raises(FootfallError):
            parse_study(wrong, "it")
    with pytest.raises(FileError, match="must be a table"):
        parse_study(text.replace('"settings": [{', '"settings": [3, {'), "it")


# --- pieces, time and many of them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_random_settings_at_random_times_replay_whatever_the_pieces(seed, tmp_path):
    """Live in random pieces, then as a study that declares the same, then from the file: one run."""
    draw = random.Random(seed)
    study = replace(ff.studies.load("simbicon-walk"), seconds=0.0, record=("controller",))
    if seed % 3 == 0:
        study = replace(study, sensors=(Encoders(resolution=1e-4),), seed=seed)
    choices = {
        "controller.stiffness": lambda: draw.uniform(250, 350),
        "controller.damping": lambda: draw.uniform(25, 35),
        "controller.speed": lambda: draw.uniform(-0.2, 0.5),
        "controller.rate": lambda: draw.choice((1000.0, 500.0)),
        "goal.speed": lambda: draw.uniform(0.0, 0.5),
        "goal.gait": lambda: draw.randrange(4),
        "world.gravity": lambda: draw.uniform(9.0, 10.0),
        "world.contact.friction": lambda: draw.uniform(0.5, 1.0),
        "world.contact.restitution": lambda: draw.uniform(0.0, 0.3),
        "robot.joints.hip_left.damping": lambda: draw.uniform(0.0, 2.0),
        "world.falls": lambda: False,
    }
    simulation = ff.Simulation(study)
    simulation.advance(0.0)
    while simulation.time < 1.0 and simulation.outcome is ff.Outcome.END:
        simulation.advance(draw.choice((0.0, 0.001, 1 / 60, 0.0304, 0.2)))
        if simulation.outcome is not ff.Outcome.END:
            break
        for name in draw.sample(sorted(choices), draw.randrange(3)):
            simulation.set(name, choices[name]())
        if draw.random() < 0.2:
            simulation.add(Push("torso", (draw.uniform(-30, 30), 0.0), simulation.time, simulation.time + 0.05))
    run = simulation.run()
    assert run.study.settings
    assert run.replay() == run
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet").replay() == run


@pytest.mark.parametrize(
    "name", ["ranger-trouble", "wendlandt-stand", "wendlandt-stand-exact", "wendlandt-load", "simple-biped-walk"]
)
def test_any_parameter_of_a_study_set_at_random(name):
    """Each a little more or less than it is; what cannot be set is refused and changes nothing."""
    draw = random.Random(name)
    simulation = ff.Simulation(replace(ff.studies.load(name), seconds=0.0))
    simulation.advance(0.0)
    while simulation.time < 0.3 and simulation.outcome is ff.Outcome.END:
        known = ff.parameters(simulation.now, parts=True)
        numbers = [each for each in known if isinstance(each.value, float) and abs(each.value) < 1e6]
        for each in draw.sample(numbers, 4):
            with contextlib.suppress(FootfallError):
                simulation.set(each.name, each.value * draw.uniform(0.9, 1.1))
        simulation.advance(draw.choice((0.0, 0.001, 1 / 60, 0.05)))
    run = simulation.run()
    assert len(run.study.settings) > 5
    assert run.replay() == run


def test_time_does_not_drift_and_the_record_grows_seldom():
    simulation = ff.Simulation(Study(arm(), World(gravity=0.0), seconds=0.0))
    grown = 0
    for _ in range(600):
        rows = len(simulation.rollout.record.time)
        simulation.advance(1 / 60)
        grown += len(simulation.rollout.record.time) != rows
    assert simulation.time == 10.0
    assert grown < 20
    assert simulation.run() == ff.simulate(Study(arm(), World(gravity=0.0), seconds=10.0))


def test_pushes_that_are_over_leave_nothing_behind():
    """Many pushes, each added as the one before has ended: the same as a study that declares them all."""
    pushes = [Push("box", (10.0, 3.0), 0.1 * i, 0.1 * i + 0.03) for i in range(1, 10)]
    study = Study(box(), World(gravity=0.0, falls=False), q=(0.0, 5.0, 0.0), seconds=1.0)
    simulation = ff.Simulation(study)
    for push in pushes:
        simulation.advance(push.start - simulation.time)
        simulation.add(push)
        assert len(simulation.rollout.data.pushes.body) <= 2
    simulation.advance(1.0 - simulation.time)
    run = simulation.run()
    assert run == ff.simulate(replace(study, world=replace(study.world, pushes=tuple(pushes))))
    assert run.v[-1, 0] == pytest.approx(9 * 10.0 * 0.03 / 2.0, rel=1e-9)


def test_wrong_pushes_are_refused_when_added():
    simulation = ff.Simulation(Study(box(), World(falls=False), q=(0.0, 0.05, 0.0)))
    with pytest.raises(FootfallError, match="force must be 2 numbers"):
        simulation.add(Push("box", (1.0, 0.0, 0.0), 0.0, 1.0))
    with pytest.raises(FootfallError, match="no"):
        simulation.add(Push("nobody", (1.0, 0.0), 0.0, 1.0))


def test_energy_is_explained_when_gravity_changes():
    simulation = ff.Simulation(Study(box(), World(falls=False), q=(0.0, 3.0, 0.0)))
    simulation.advance(0.3)
    simulation.set("world.gravity", 3.0)
    simulation.advance(0.3)
    book = ff.analysis.ledger(simulation.run())
    assert book.work["changes of gravity"][-1] == pytest.approx(2.0 * (3.0 - 9.81) * (3.0 - 0.5 * 9.81 * 0.09), rel=1e-3)
    assert book.relative < 1e-3  # half a step of the fall is with either


def test_hold_carries_the_weight_that_there_is():
    """Hold works out the torques of the weight; with another gravity it does so again."""
    robot = ff.robots.load("wendlandt")
    study = Study(robot, controller=Hold(), seconds=0.0)
    simulation = ff.Simulation(study, lift=True)
    simulation.advance(0.05)
    simulation.set("world.gravity", 2.0)
    moon = ff.Simulation(replace(study, world=World(gravity=2.0)), lift=True)
    assert np.array_equal(simulation.runtime.layers[0].params.weight, moon.runtime.layers[0].params.weight)


def test_simbicon_names_its_gaits():
    simulation = ff.Simulation(ff.studies.load("simbicon-walk"))
    assert isinstance(simulation.study.controller, Simbicon)
    simulation.advance(0.1)
    simulation.set("goal.gait", "run")
    assert simulation.runtime.layers[0].goal["gait"] == 1
