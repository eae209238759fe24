"""The table itself: referee, journal, session, command line."""

__version__ = "0.1.0"
