"""The world: contact that sticks, slides, bounces and rolls, energy, symmetry, hybrid mode, MuJoCo."""

from footfall.reproduce.world.cones import cones
from footfall.reproduce.world.contact import at_once, rebounds, rolling, sliding, sticking
from footfall.reproduce.world.convergence import both_ways
from footfall.reproduce.world.drops import random_drops, random_drops_on_steps
from footfall.reproduce.world.edges import edges
from footfall.reproduce.world.exact import event_times, flight
from footfall.reproduce.world.lying import balls, lying
from footfall.reproduce.world.peers import free_motion, gentle_contact
from footfall.reproduce.world.slides import converging_slides
from footfall.reproduce.world.speed import python_controller
from footfall.reproduce.world.stops import stops_met
from footfall.reproduce.world.symmetry import mirrored, moved, repeated

STUDIES = {
    "sticking": sticking,
    "sliding": sliding,
    "cones": cones,
    "converging-slides": converging_slides,
    "rebounds": rebounds,
    "at-once": at_once,
    "rolling": rolling,
    "balls": balls,
    "lying": lying,
    "edges": edges,
    "drops": random_drops,
    "drops-on-steps": random_drops_on_steps,
    "mirrored": mirrored,
    "moved": moved,
    "repeated": repeated,
    "flight": flight,
    "event-times": event_times,
    "hybrid-and-steps": both_ways,
    "stops": stops_met,
    "free-motion": free_motion,
    "gentle-contact": gentle_contact,
    "python-controller": python_controller,
}
