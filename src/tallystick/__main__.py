"""Runs the command as `python -m tallystick`."""

import sys

from tallystick.cli import main

sys.exit(main())
