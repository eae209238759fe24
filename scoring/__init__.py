"""The game of Box Cars, pure: no pixels, no files, no clock."""
