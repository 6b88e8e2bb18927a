"""What all tests share: where the shared data lie, and no deadline for slow machines."""

import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("tallystick", deadline=None)
hypothesis.settings.load_profile("tallystick")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: beside the repository, or where TALLYSTICK_SHARED says."""
    beside = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("TALLYSTICK_SHARED", beside))
    if not folder.is_dir():
        pytest.skip(f"no shared data in {folder}; TALLYSTICK_SHARED can name another folder")
    return folder
