"""Which records does the daemon take and give? Their types, for annotations; see `_generated/types.py`."""

from ._generated.types import *  # noqa: F403
