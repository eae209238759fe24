"""`python -m boxcars` is the same as `boxcars`."""

from boxcars.cli import main

if __name__ == "__main__":
    main()
