"""From a picture to what lies in the tray: sources, find dice, read faces, decide settled."""
