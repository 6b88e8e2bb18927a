"""The steps of `tallystick task`, a module for each."""
