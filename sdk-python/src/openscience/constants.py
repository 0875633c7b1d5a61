"""Which words does the interface use? All of them, by name; see `_generated/constants.py`."""

from ._generated.constants import *  # noqa: F403
