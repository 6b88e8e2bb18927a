"""Runs the command as `python -m tallystick`."""

from tallystick.cli import main

main()
