"""How the camera stands to the tray: lines of sight and the tray's plane, from the dice alone."""
