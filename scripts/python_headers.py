"""Finds Python.h on machines with python3 but without python3-dev.

    python scripts/python_headers.py <folder>

Prints nothing if the interpreter's headers are installed. Otherwise downloads the distribution's
package with exactly these headers, unpacks it below <folder>, which needs no root, and prints the
pip option that passes the path to CMake.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

MISSING = """\
Python.h is missing, and `apt-get download {package}` did not provide it:
{why}
Install the headers of {python} (Debian and Ubuntu: apt install python3-dev) and try again."""


def unpack(package: str, target: Path) -> None:
    """Download a Debian package and move its headers, one flat folder, to `target`."""
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        subprocess.run(
            ["apt-get", "download", "-qq", package],
            cwd=here,
            check=True,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        (archive,) = here.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, here / "tree"], check=True)
        include = here / "tree" / "usr" / "include"
        shutil.copytree(include / target.name, target, dirs_exist_ok=True)
        # The pyconfig.h there only includes that of this processor.
        (configuration,) = include.glob(f"*/{target.name}/pyconfig.h")
        shutil.copy(configuration, target)


def main() -> None:
    """Print pip's option; download the headers if they are missing."""
    if (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    target = Path(sys.argv[1]).resolve() / "include" / version
    if not (target / "Python.h").exists():
        package = f"lib{version}-dev"
        try:
            unpack(package, target)
        except (OSError, subprocess.CalledProcessError) as error:
            why = getattr(error, "stderr", None) or str(error)
            raise SystemExit(MISSING.format(package=package, why=why, python=version)) from None
    print(f"-C cmake.define.Python_INCLUDE_DIR={target}")


if __name__ == "__main__":
    main()
