"""A planar biped learns to walk and to bear pushes, from nothing but a reward, in minutes: a linear policy by random search.

Augmented random search (Mania, Guy and Recht, "Simple random search of static linear policies is competitive for reinforcement
learning", NeurIPS 2018): try the policy moved to and fro in random directions, then move it along the directions that made most
of a difference. All tries of an iteration are robots of one vector environment, which steps them in one call on all cores. The
policy sees coordinates, velocities, contacts and a clock, and says to the servos of hips, knees and ankles where to be.

    python examples/08_learn_to_walk.py [FOLDER] [ITERATIONS]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.progress import Progress

import footfall as ff
from footfall.gym import Position, Pushes, Start, Walk

ITERATIONS, DIRECTIONS, BEST = 150, 64, 16
STEP, NOISE = 0.03, 0.05  # of the policy; rad for an input that is one standard deviation from its mean
RATE, SECONDS, CLOCK = 50.0, 6.0, 0.7  # actions a second, an episode, a stride
SPEED = 0.8  # m/s
SHOVES = Pushes(force=200.0, lasts=0.1, every=(1.5, 3.0))  # N on the torso, forward or backward
POSTURE = (-0.1, 0.2, -0.1)  # hip, knee, ankle (rad): where the search begins
SEED = 1

TASK = {
    "study": ff.studies.load("simbicon-walk"),
    "action": Position(around=1.5),
    "reward": Walk(speed=SPEED),
    "clock": CLOCK,
    "rate": RATE,
    "pushes": SHOVES,
    "start": Start(angle=0.05, rate=0.3),
}


class Normal:
    """Mean and standard deviation of what was seen so far."""

    def __init__(self, size):
        self.count, self.mean, self.spread = 1e-4, np.zeros(size), np.full(size, 1e-4)

    def add(self, rows):
        count, off = self.count + len(rows), rows.mean(axis=0) - self.mean
        self.spread = self.spread + ((rows - rows.mean(axis=0)) ** 2).sum(axis=0) + off**2 * self.count * len(rows) / count
        self.mean, self.count = self.mean + off * len(rows) / count, count

    @property
    def deviation(self):
        return np.sqrt(np.maximum(self.spread / self.count, 1e-4))


def try_out(envs, matrices, normal, seed):
    """Total reward and length (s) of an episode with each matrix, the last column of which is for the constant 1."""
    seen, _ = envs.reset(seed=seed)
    alive, total, steps, rows = np.ones(len(matrices), bool), np.zeros(len(matrices)), np.zeros(len(matrices)), []
    mean, deviation = normal.mean.copy(), normal.deviation
    while alive.any():
        rows.append(seen[alive])
        inputs = np.clip((seen - mean) / deviation, -5.0, 5.0)
        actions = np.einsum("kij,kj->ki", matrices[:, :, :-1], inputs) + matrices[:, :, -1]
        seen, reward, terminated, truncated, _ = envs.step(actions)
        total += alive * reward
        steps += alive
        alive &= ~(terminated | truncated)
    normal.add(np.concatenate(rows))
    return total, steps / RATE


def learn(iterations, progress):
    """The policy, and the mean length of the episodes (s) in each iteration."""
    envs = ff.gym.make_vec(num_envs=2 * DIRECTIONS, seconds=SECONDS, **TASK)
    rng, size = np.random.default_rng(SEED), envs.single_observation_space.shape[0]
    matrix, normal, lengths = np.zeros((6, size + 1)), Normal(size), []
    matrix[:, -1] = POSTURE * 2
    for iteration in range(iterations):
        moves = rng.normal(size=(DIRECTIONS, *matrix.shape))
        total, length = try_out(envs, np.concatenate((matrix + NOISE * moves, matrix - NOISE * moves)), normal, 1000 * iteration)
        to, fro = np.split(total, 2)
        best = np.argsort(-np.maximum(to, fro))[:BEST]
        gain = (to - fro)[best] / (BEST * np.std(total[[*best, *(best + DIRECTIONS)]]) + 1e-9)
        matrix = matrix + STEP * np.tensordot(gain, moves[best], 1)
        lengths.append(length.mean())
        progress(iteration + 1, f"{total.mean():6.1f} reward, {length.mean():.2f} of {SECONDS:g} s")
    envs.close()
    weights = matrix[:, :-1] / normal.deviation  # what was seen is made standard by the policy itself
    return envs.policy([(weights, matrix[:, -1] - weights @ normal.mean)]), lengths


def surviving(policy, episodes, seconds):
    """The part of episodes with new pushes that it walks through, and its speed in them (m/s)."""
    envs = ff.gym.make_vec(num_envs=episodes, seconds=seconds, autoreset_mode="Disabled", **TASK)
    seen, _ = envs.reset(seed=10**6)
    fell, over, far = np.zeros(episodes, bool), False, np.zeros(episodes)
    while not over:
        seen, _, terminated, truncated, _ = envs.step(policy(seen))
        fell |= terminated
        over = truncated.any() or fell.all()
        if terminated.any() and not over:
            envs.reset(options={"reset_mask": terminated})
    far = envs.episodes.batch.q[~fell, 0]
    envs.close()
    return 1.0 - fell.mean(), far.mean() / seconds if len(far) else np.nan


def plot(lengths, folder):
    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    ax = figure.subplots()
    ax.plot(np.arange(1, len(lengths) + 1), lengths, color="#0072b2")
    ax.set_xlabel("iteration")
    ax.set_ylabel("mean time without a fall (s)")
    ax.set_ylim(0.0, 1.05 * SECONDS)
    ax.grid(color="0.93")
    ax.set_title(f"{2 * DIRECTIONS} bipeds an iteration, pushed by up to {SHOVES.force:g} N for {SHOVES.lasts:g} s")
    figure.savefig(folder / "learn_to_walk.png", dpi=110)


def main(folder, iterations):
    with Progress(transient=True) as bar:
        task = bar.add_task("learning", total=iterations)
        policy, lengths = learn(iterations, lambda done, text: bar.update(task, completed=done, description=text))
    print(f"mean time without a fall: {lengths[0]:.2f} s at first, {lengths[-1]:.2f} of {SECONDS:g} s at last")
    part, speed = surviving(policy, 64, 20.0)
    print(f"new pushes, 20 s: {part:.0%} of 64 walk through, at {speed:.2f} m/s")
    folder.mkdir(parents=True, exist_ok=True)
    plot(lengths, folder)
    run = ff.simulate(replace(TASK["study"], controller=policy), seconds=20.0)  # the study as it is, with what was learnt
    run.save(folder / "learnt.parquet")
    assert ff.Run.load(folder / "learnt.parquet").replay() == run
    print(
        f"as the controller of {run.study.name}: {run.reason}, {run.q[-1, 0]:.1f} m; footfall lab "
        f"{folder / 'learnt.parquet'} shows it"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"), int(sys.argv[2]) if len(sys.argv) > 2 else ITERATIONS)
