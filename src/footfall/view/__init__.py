"""What you see."""

from footfall.view.picture import draw, picture
