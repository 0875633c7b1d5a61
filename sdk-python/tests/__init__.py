"""Does the package do what it says? `python -m unittest discover -s tests -t .` in `sdk-python`."""

import sys
from pathlib import Path

# The sources beside the tests, whatever is installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
