"""What walking controllers of robots with two legs share: feet and steps, the pendulum, the whole body."""
