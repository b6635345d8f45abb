"""The version of the package, which is that of the libtacho it calls."""

__version__ = "0.1.0"
