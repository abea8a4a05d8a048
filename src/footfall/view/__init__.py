"""Plots, pictures, films and recordings."""

from footfall.view.animation import animation
from footfall.view.bode import bode
from footfall.view.branch import branch, multipliers
from footfall.view.card import card, embedded, image, thumbnail
from footfall.view.compared import compared
from footfall.view.convergence import convergence
from footfall.view.estimate import estimate
from footfall.view.footprints import footprints, scene, scenes
from footfall.view.formulations import formulations
from footfall.view.friction import friction
from footfall.view.maps import basin, bifurcation
from footfall.view.margins import margins
from footfall.view.motion import motion
from footfall.view.observed import observed
from footfall.view.picture import draw, picture
from footfall.view.plots import PLOTS, STATES, plot, plots_of
from footfall.view.portrait import portrait, portraits
from footfall.view.preview import preview
from footfall.view.recording import recording
from footfall.view.sequence import phase, sequence
from footfall.view.step_map import step_map
from footfall.view.stroboscope import stroboscope
from footfall.view.sweeps import sweep_plot
from footfall.view.walking import drives, stride
