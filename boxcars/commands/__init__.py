"""The commands of `boxcars`, one module each."""
