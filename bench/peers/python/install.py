"""Makes the virtual environment of the Python peers: python3 bench/peers/python/install.py"""

import os
import subprocess
import sys
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VENV = FOLDER / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    """Installs the requirements; run again after they have changed."""
    venv.create(VENV, with_pip=True)
    requirements = str(FOLDER / "requirements.txt")
    return subprocess.call([str(PYTHON), "-m", "pip", "install", "--quiet", "--requirement", requirements])


if __name__ == "__main__":
    sys.exit(main())
