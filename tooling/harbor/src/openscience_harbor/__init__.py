"""Runs openscience as an installed agent of Harbor."""

from openscience_harbor.agent import OpenScience
from openscience_harbor.stream import MalformedStream, read
from openscience_harbor.trajectory import to_trajectory

__all__ = ["MalformedStream", "OpenScience", "read", "to_trajectory"]
