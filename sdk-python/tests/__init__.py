"""Does the package do what it says? `python -m unittest discover -s tests -t .` in `sdk-python`."""
