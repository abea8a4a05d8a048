"""Environments of Gymnasium: its own checks, seeds, vectors, ends of episodes, bad actions, copies."""

import copy
import dataclasses
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import footfall as ff
from footfall.control import External, Hold
from footfall.environments import IDS
from footfall.errors import FootfallError, MissingPartError, ParameterError, SimulationError, UnsuitableError
from footfall.gym import Position, Pushes, Start, Torque, Upright, Walk
from footfall.sensors import Encoders
from footfall.world import Push, World

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from gymnasium.wrappers import NormalizeObservation, RescaleAction, TimeLimit  # noqa: E402

SHORT = {"rate": 100.0, "seconds": 0.4, "start": Start(number=3)}


def with_motors(study, torque):
    joints = tuple(dataclasses.replace(j, motor=ff.Motor(torque=torque)) if j.motor else j for j in study.robot.joints)
    return dataclasses.replace(study, robot=dataclasses.replace(study.robot, joints=joints))


@pytest.fixture(scope="module")
def study():
    return with_motors(ff.studies.load("stand-push"), 60.0)


def actions(env, count, seed=0):
    env.action_space.seed(seed)
    return [env.action_space.sample() for _ in range(count)]


# --- one environment ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", IDS)
def test_every_ready_environment_passes_the_checks_of_gymnasium(name):
    env = gymnasium.make(name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|normalized space).*")
        check_env(env.unwrapped, skip_render_check=True)
    env.reset(seed=0)
    for action in actions(env, 400):
        seen, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(seen)
        assert np.isfinite(reward)
        if terminated or truncated:
            break
    assert terminated
    assert info["reason"].startswith("fell at")
    run = env.unwrapped.run()
    assert run.fell
    assert run.reason == info["reason"]


def test_ids_are_known_whatever_is_imported_first():
    for order in ("import footfall, gymnasium", "import gymnasium, footfall", "import gymnasium.envs.registration, footfall"):
        code = f"{order}\nassert 'footfall/RangerWalk-v0' in gymnasium.registry\nassert gymnasium.spec('footfall/RangerWalk-v0')"
        subprocess.run([sys.executable, "-c", code], check=True)


def test_footfall_does_not_need_gymnasium():
    code = (
        "import sys, footfall as ff\nassert 'gymnasium' not in sys.modules\nsys.modules['gymnasium'] = None\n"
        "ff.gym.Walk\ntry:\n    ff.gym.make('stand-push')\nexcept ff.errors.MissingPartError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install 'footfall[gym]'" in done.stdout
    assert issubclass(MissingPartError, FootfallError)


def test_what_is_seen_and_done_is_that_of_the_simulation(study):
    env = ff.gym.make(study, start=Start(number=1))
    seen, _ = env.reset()
    for action in actions(env, 20):
        seen, *_ = env.step(action)
    simulation = ff.Simulation(dataclasses.replace(study, controller=External(rate=100.0)))
    for action in actions(env, 20):
        simulation.step(action)
    touch = [simulation.contacts.mode[k : k + 2].any() for k in (0, 2)]
    assert np.array_equal(seen, [*simulation.q[1:], *simulation.v, *touch])
    assert env.run().replay() == env.run()
    assert env.observation_space.shape == seen.shape


def test_render_gives_a_picture_without_a_display(study):
    env = gymnasium.make("footfall/WendlandtStand-v0", render_mode="rgb_array", pushes=Pushes(100.0))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.render()
    pictures = []
    for _ in range(2):
        env.reset(seed=1)
        pictures.append(env.render())
        for action in actions(env, 30):
            env.step(action)
    pictures.append(env.render())
    assert pictures[0].dtype == np.uint8
    assert pictures[0].ndim == 3
    assert pictures[0].shape[2] == 3
    assert np.array_equal(pictures[0][100:], pictures[1][100:])
    assert not np.array_equal(pictures[0], pictures[2])
    with pytest.raises(SimulationError, match="no episode has begun"):
        ff.gym.make(study, render_mode="rgb_array").render()


def test_seeds_decide_starts_pushes_and_noise(study):
    noisy = dataclasses.replace(
        study, sensors=(Encoders(noise=1e-3),), world=World(pushes=(Push("torso", (1.0, 0.0), 0.1, 0.2),))
    )
    env = ff.gym.make(noisy, pushes=Pushes(80.0, every=(0.1, 0.3)), **SHORT)
    found = []
    for seed in (1, 2, 1):
        rows = [env.reset(seed=seed)[0]]
        rows += [env.step(action)[0] for action in actions(env, 10)]
        found.append((np.array(rows).tobytes(), env.simulation.study.world.pushes))
        assert env.run().replay() == env.run()
    assert found[0] == found[2]
    assert found[0][0] != found[1][0]
    assert found[0][1] != found[1][1]
    assert found[0][1][0] == noisy.world.pushes[0]
    begun = {env.reset()[0].tobytes() for _ in range(10)}
    assert len(begun) == 10  # the noise is another each time


def test_starts_stand_as_high_as_that_of_the_study(study):
    env = ff.gym.make(study, start=Start(0.2, 0.5, 6))
    lifted = {}
    for seed in range(12):
        env.reset(seed=seed)
        asked = env.simulation.study
        q = np.array(asked.q)
        on = np.array(ff.Simulation(asked, lift=True).study.q)
        lifted[asked.q] = q[1] - on[1]
    assert len(lifted) > 3
    assert np.array(list(lifted.values())) == pytest.approx(0.02, abs=1e-9)  # as high as it is dropped from


def test_an_episode_that_reaches_its_end_is_truncated(study):
    env = ff.gym.make(study, Position(), seconds=0.2)
    env.reset(seed=0)
    hold = np.array(study.start()[0])[3:]
    for i in range(20):
        *_, terminated, truncated, info = env.step(hold)
        assert not terminated
        assert truncated == (i == 19)
    assert info["reason"] == "reached 0.2 s"
    with pytest.raises(SimulationError, match="this episode has ended .reached 0.2 s.; reset"):
        env.step(hold)


def test_actions_beyond_their_bounds_count_as_those_at_the_bounds(study):
    found = []
    for size in (1.0, 50.0):
        env = ff.gym.make(study, Torque(limit=7.0))
        env.reset(seed=0)
        found.append(env.step(np.full(6, 7.0 * size))[0])
        assert env.simulation.run().study.controller.values.max() == 7.0
    assert np.array_equal(*found)


def test_a_step_needs_a_reset_and_an_action_that_makes_sense(study):
    env = ff.gym.make(study)
    for ask in (lambda: env.step(np.zeros(6)), env.run):
        with pytest.raises(SimulationError, match="no episode has begun; reset"):
            ask()
    env.reset()
    for given, words in (
        (np.zeros(5), r"must have 6 numbers .hip_left.*got shape .5,"),
        (np.zeros((1, 6)), r"got shape .1, 6."),
        ([0.0, 0.0, np.nan, 0.0, 0.0, 0.0], "finite, but that for 'ankle_left' is nan"),
        (None, "got shape|must be 6 numbers"),
        ("much", "must be 6 numbers"),
    ):
        with pytest.raises(ParameterError, match=words):
            env.step(given)
    env.step(np.zeros(6, np.float32))
    env.step([0] * 6)
    assert env.simulation.time == pytest.approx(0.02)
    with pytest.raises(FootfallError, match="no option of reset 'w'.*Known: q, v"):
        env.reset(options={"w": 1})


def test_options_say_where_an_episode_starts(study):
    env = ff.gym.make(study)
    q = np.array(study.start()[0]) + np.array([0.3, 0.4, 0.1, *[0.0] * 6])
    env.reset(options={"q": q, "v": np.full(9, 0.2)})
    assert np.array_equal(env.simulation.q, q)
    assert env.simulation.v[0] == pytest.approx(0.2)
    env.step(np.zeros(6))
    assert env.run().replay() == env.run()
    with pytest.raises(FootfallError, match="must have 9"):
        env.reset(options={"q": q[:4]})


def test_a_simulation_that_diverges_ends_the_episode(study):
    """Wild torques of light feet: the observation stays finite, the reason is told."""
    wild = dataclasses.replace(with_motors(study, np.inf), controller=None)
    envs = ff.gym.make_vec(wild, 2, Torque(limit=1e12))
    envs.reset(seed=0)
    seen, reward, terminated, _, info = envs.step(np.array([np.full(6, 1e12), np.zeros(6)]))
    assert list(terminated) == [True, False]
    assert np.isfinite(seen).all()
    assert np.isfinite(reward).all()
    assert info["reason"][0].startswith(("diverged", "fell"))
    envs.step(np.zeros((2, 6)))
    assert envs.step(np.zeros((2, 6)))[1][0] == 1.0


# --- what environments are made of ----------------------------------------------------------------------------------------


def test_bounds_of_actions(study):
    limited = ff.gym.make("ranger-walk")
    assert np.array_equal(limited.action_space.high, [4.5, 3.6, 3.6])
    robot, endless = study.robot, ff.studies.load("stand-push")
    with pytest.raises(
        ParameterError, match="no limit at hip_left, knee_left, .*, so their torques have no bounds; give some.*Torque.limit"
    ):
        ff.gym.make(endless)
    assert np.array_equal(ff.gym.make(endless, Torque(limit=50.0)).action_space.high, np.full(6, 50.0))
    each = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert np.array_equal(ff.gym.make(endless, Torque(limit=each)).action_space.low, -np.array(each))
    with pytest.raises(ParameterError, match="a number or one for each of 6 motors, got 2"):
        ff.gym.make(endless, Torque(limit=(1.0, 2.0)))
    place = ff.gym.make(study, "position")
    q = study.start()[0][3:]
    stops = [j.limits for j in robot.layout.joints if j.motor]
    assert place.action_space.low == pytest.approx(
        [low if np.isfinite(low) else a - np.pi for (low, _), a in zip(stops, q, strict=True)]
    )
    near = ff.gym.make(study, Position(around=0.1))
    assert near.action_space.high == pytest.approx(np.minimum(q + 0.1, [high for _, high in stops]))


def test_studies_of_which_no_environment_can_be_made_say_why(study):
    for name, words in (("compass", "engine Hybrid takes no controller"), ("newton-walk", "engine Ideal moves a robot")):
        with pytest.raises(
            UnsuitableError, match=f"no environment can be made of study '{name}', as it takes no actions.*{words}"
        ):
            ff.gym.make(name)
        with pytest.raises(UnsuitableError, match=words):
            ff.gym.make(name, "position")
    ideal = dataclasses.replace(study, engine=ff.engines.Ideal(), controller=None, world=World())
    with pytest.raises(UnsuitableError, match="engine Ideal moves a robot by accelerations"):
        ff.gym.make(ideal)
    with pytest.raises(UnsuitableError, match="has no motors"):
        ff.gym.make(ff.Study(ff.robots.load("simplest-walker"), World(falls=False)))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"study": 3}, "a Study or the name of one, got 3"),
        ({"study": "stand-pusch"}, "no study 'stand-pusch'. Did you mean 'stand-push'"),
        ({"action": "torqe"}, "no action .* 'torqe'. Did you mean 'torque'"),
        ({"reward": "wolk"}, "no reward .* 'wolk'. Did you mean 'walk'"),
        ({"observation": "q.base.z"}, "a row of names"),
        ({"observation": ("q.hipp",)}, "no observation .* 'q.hipp'. Did you mean 'q.hip'"),
        ({"observation": ("clock.sin",)}, "needs the period of its clock"),
        ({"rate": 300.0}, "one in 3.33333 steps of 0.001 s; that must be a whole number, such as 250 or 333.3"),
        ({"rate": "often"}, "rate must be a number"),
        ({"seconds": -1.0}, "seconds must be a number from"),
        ({"seconds": np.nan}, "seconds must be a number from"),
        ({"start": 3}, "start must be a ff.gym.Start, got 3"),
        ({"pushes": 10.0}, "pushes must be a ff.gym.Pushes, got 10"),
        ({"render_mode": "human"}, "no render_mode .or None. 'human'"),
    ],
)
def test_what_cannot_be_made_says_what_would_be_valid(given, words):
    with pytest.raises(FootfallError, match=words):
        ff.gym.make(**({"study": "ranger-walk"} | given))


def test_parts_check_their_numbers():
    for make, words in (
        (lambda: Pushes(-1.0), "force must be at least 0"),
        (lambda: Pushes(1.0, lasts=3.0, every=(2.0, 4.0)), "not shorter than a push lasts"),
        (lambda: Start(angle=9.0), "angle must be from 0 to 3"),
        (lambda: Walk(width=0.0), "width must be at least"),
        (lambda: Torque(limit=-1.0), "limit must be at least 0"),
    ):
        with pytest.raises(ParameterError, match=words):
            make()
    with pytest.raises(ParameterError, match="has no base that moves forward"):
        ff.gym.make(_pendulum(), reward="walk")


def _pendulum():
    robot = ff.robots.load("pendulum")
    joint = dataclasses.replace(robot.joints[0], motor=ff.Motor(torque=1.0))
    return ff.Study(dataclasses.replace(robot, joints=(joint,)), World(falls=False), q=(0.1,), name="pendulum")


def test_a_robot_without_feet_and_with_servos_that_are_not_known():
    env = ff.gym.make(_pendulum())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|normalized space).*")
        check_env(env, skip_render_check=True)
    with pytest.raises(ParameterError, match="no controller with a stiffness for all joints; give one"):
        ff.gym.make(_pendulum(), "position")


def test_rewards_against_what_they_say(study):
    seen = []

    def mine(now):
        seen.append((now.v.copy(), now.tau.copy(), now.terminated.copy()))
        return now.coordinate("base.z") + 0.0 * now.velocity("base.x")

    envs = ff.gym.make_vec(study, 3, "position", reward=mine, **SHORT)
    walk = ff.gym.make_vec(study, 3, "position", reward=Walk(0.3, 0.2, 0.1, effort=0.5), **SHORT)
    still = ff.gym.make_vec(study, 3, "position", reward=Upright(), **SHORT)
    limit = np.array([joint.motor.torque for joint in study.robot.layout.joints if joint.motor])
    for each in (envs, walk, still):
        each.reset(seed=0)
    for action in actions(envs, 25):
        height = envs.step(action)[1]
        assert np.array_equal(height, envs.episodes.batch.q[:, 1])
        v, tau, terminated = seen[-1]
        wanted = 0.1 + np.exp(-(((v[:, 0] - 0.3) / 0.2) ** 2)) - 0.5 * np.mean((tau[:, 3:] / limit) ** 2, axis=1)
        assert walk.step(action)[1] == pytest.approx(np.where(terminated, 0.0, wanted))
        assert np.array_equal(still.step(action)[1], np.where(terminated, 0.0, 1.0))
    for bad, words in (
        (lambda now: 1.0, "a number for each of 1 runs"),
        (lambda now: now.time * np.nan, "reward of run 0 is nan"),
    ):
        env = ff.gym.make(study, reward=bad)
        env.reset()
        with pytest.raises(ParameterError, match=words):
            env.step(np.zeros(6))


def test_an_observation_that_needs_a_sensor_says_so(study):
    env = ff.gym.make(study, observation=("q.base.z", "wrench.foot_left.fz"))
    with pytest.raises(ParameterError, match="'wrench.foot_left.fz' is not a number in study 'stand-push': it may need a sensor"):
        env.reset()


# --- vectors --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_vector_does_what_gymnasium_does_with_single_ones(study, mode):
    more = {"pushes": Pushes(200.0, every=(0.1, 0.3)), **SHORT}
    ours = ff.gym.make_vec(study, 3, autoreset_mode=mode, **more)
    theirs = SyncVectorEnv([lambda: ff.gym.make(study, **more)] * 3, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] == mode
    same(ours.reset(seed=5), theirs.reset(seed=5))
    ended = np.zeros(3, bool)
    for action in actions(ours, 90):
        if mode is AutoresetMode.DISABLED and ended.any():
            mask = {"reset_mask": ended.copy()}
            same(ours.reset(options=dict(mask)), theirs.reset(options=dict(mask)))
        mine, other = ours.step(action), theirs.step(action)
        same(mine, other)
        ended = mine[2] | mine[3]
    assert ours.np_random_seed == theirs.np_random_seed


def same(ours, theirs):
    for a, b in zip(ours[:-1], theirs[:-1], strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)
    a, b = ours[-1], theirs[-1]
    assert a.keys() == b.keys()
    for key in a:
        if isinstance(a[key], dict):
            same(({}, a[key])[1:], (b[key],))
        elif a[key].dtype == object:
            assert all(np.array_equal(x, y) for x, y in zip(a[key], b[key], strict=True))
        else:
            assert np.array_equal(a[key], b[key])


def test_make_vec_makes_a_vector_that_steps_all_in_one_call():
    envs = gymnasium.make_vec("footfall/SimpleBipedWalk-v0", num_envs=4, max_episode_steps=7)
    assert type(envs.unwrapped).__name__ == "FootfallVectorEnv"
    envs.reset(seed=0)
    for i in range(7):
        *_, truncated, info = envs.step(np.zeros(envs.action_space.shape))
        assert truncated.all() == (i == 6)
    assert list(info["reason"]) == ["reached 0.056 s"] * 4
    assert pickle.loads(pickle.dumps(envs)).unwrapped.task.length == 7
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    wrapped.reset(seed=0)
    wrapped.step(np.zeros(envs.action_space.shape))
    envs.close()
    sync = gymnasium.make_vec("footfall/SimpleBipedWalk-v0", num_envs=2, vectorization_mode="sync")
    sync.reset(seed=0)
    sync.step(sync.action_space.sample())


def test_bad_asks_of_a_vector(study):
    envs = ff.gym.make_vec(study, 3)
    with pytest.raises(SimulationError, match="no episode has begun"):
        envs.step(np.zeros((3, 6)))
    envs.reset()
    bad = np.zeros((3, 6))
    bad[2, 1] = np.inf
    for given, words in ((bad, "for 'knee_left' of run 2 is inf"), (np.zeros((2, 6)), "a row for each of 3 runs with 6 numbers")):
        with pytest.raises(ParameterError, match=words):
            envs.step(given)
    for ask, words in (
        (lambda: envs.reset(seed=[1, 2]), "one for each of 3 environments"),
        (lambda: envs.reset(options={"reset_mask": np.zeros(3, bool)}), "at least one of them True"),
        (lambda: ff.gym.make_vec(study, 0), "num_envs must be a whole number from 1"),
        (lambda: ff.gym.make_vec(study, 2, autoreset_mode="never"), "one of 'NextStep', 'SameStep', 'Disabled'"),
        (lambda: ff.gym.make_vec(study, 2, threads=0), "threads must be"),
        (lambda: ff.gym.make_vec(study, 2, max_episode_steps=0), "max_episode_steps must be"),
    ):
        with pytest.raises(ParameterError, match=words):
            ask()


# --- copies, wrappers, processes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_as_the_original(study, copied):
    more = {"pushes": Pushes(60.0, every=(0.1, 0.2)), **SHORT}
    for env in (ff.gym.make(study, **more), ff.gym.make_vec(study, 2, **more)):
        begin = copied(env)
        assert np.array_equal(begin.reset(seed=4)[0], env.reset(seed=4)[0])
        rows = actions(env, 60)
        for action in rows[:15]:
            env.step(action)
        other = copied(env)
        for action in rows[15:]:
            one, two = env.step(action), other.step(action)
            assert all(np.array_equal(a, b) for a, b in zip(one[:4], two[:4], strict=True))
            if np.ndim(one[2]) == 0 and (one[2] or one[3]):
                assert np.array_equal(env.reset()[0], other.reset()[0])
        ended = copied(env)
        assert np.array_equal(ended.reset(seed=1)[0], env.reset(seed=1)[0])


def test_wrappers_of_gymnasium(study):
    env = NormalizeObservation(TimeLimit(RescaleAction(ff.gym.make(study, "position"), -1.0, 1.0), 5))
    env.reset(seed=0)
    for i in range(5):
        *_, truncated, _ = env.step(np.zeros(6))
        assert truncated == (i == 4)


@pytest.mark.slow
def test_processes_of_gymnasium():
    envs = gymnasium.make_vec("footfall/SimpleBipedWalk-v0", num_envs=2, vectorization_mode="async")
    here = gymnasium.make_vec("footfall/SimpleBipedWalk-v0", num_envs=2)
    try:
        assert np.array_equal(envs.reset(seed=0)[0], here.reset(seed=0)[0])
        for action in actions(here, 5):
            assert np.array_equal(envs.step(action)[0], here.step(action)[0])
    finally:
        envs.close()


def test_what_was_learnt_is_a_controller_of_the_study(study, tmp_path):
    env = ff.gym.make(with_motors(study, 1e4), Position(around=0.3), clock=0.5, **SHORT)
    size = env.observation_space.shape[0]
    rng = np.random.default_rng(0)
    policy = env.policy([(rng.normal(0.0, 0.1, (4, size)), np.zeros(4)), (rng.normal(0.0, 0.1, (6, 4)), study.start()[0][3:])])
    seen, _ = env.reset(seed=3)
    for _ in range(20):
        seen, *_ = env.step(policy(seen))
    run = ff.simulate(dataclasses.replace(env.simulation.study, controller=policy), seconds=0.2)
    assert run.q[-1] == pytest.approx(env.simulation.q, abs=2e-2)
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet").replay() == run
    assert policy.stiffness == study.controller.stiffness
    assert isinstance(study.controller, Hold)


def test_episodes_are_whole_numbers_of_actions():
    with pytest.raises(ParameterError, match=r"whole number of actions, 0.01 s each, got 0.253; 0.25 would be"):
        ff.gym.Task("stand-push", Torque(limit=10.0), rate=100, seconds=0.253)


def test_rewards_of_ones_own_are_numbers():
    env = ff.gym.make("stand-push", action=Torque(limit=10.0), reward=lambda _: "good")
    env.reset(seed=1)
    with pytest.raises(ParameterError, match="must give a number for each run, got 'good'"):
        env.step(env.action_space.sample())
