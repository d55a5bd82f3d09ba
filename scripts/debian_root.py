"""Debian systems in folders: nothing is in them but what is asked for.

mmdebstrap makes them, and commands run in them by chroot, with folders of this machine mounted in a
mount namespace of their own: no mount outlives its command. All of that needs root.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

#: Path of the certificates in a Debian system.
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
#: Variables that tell pip about this machine's network.
_SETTINGS = ("PIP_", "http_proxy", "https_proxy", "no_proxy")
#: Command in a namespace of its own, so that what is mounted goes with the last process.
_ENTER = """
set -e
root=$1; shift
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  shift 2
done
shift
exec chroot "$root" "$@"
"""


def make(root: Path, suite: str, packages: Sequence[str], components: str = "main") -> None:
    """Make a system of a Debian suite with these packages, unless it is there."""
    done = root / "made-of"
    contents = " ".join([suite, components, *packages])
    if done.exists() and done.read_text() == contents:
        return
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        raise SystemExit(
            "Debian systems in folders need root and mmdebstrap (apt install mmdebstrap)"
        )
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    command = ["mmdebstrap", "-q", "--variant=apt", f"--components={components}"]
    command += [*([f"--include={','.join(packages)}"] if packages else []), suite, str(root)]
    subprocess.run(command, check=True)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    done.write_text(contents)


def clone(repository: Path, to: Path) -> None:
    """Clone the last commit, for a system."""
    shutil.rmtree(to, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repository}", to], check=True)


def run(
    root: Path,
    command: Sequence[str],
    *,
    mounted: Mapping[Path, str] | None = None,
    settings: Mapping[str, str] | None = None,
    log: IO[str] | None = None,
) -> int:
    """Run a command in a system, with folders of this machine mounted; return its status."""
    if Path(CERTIFICATES).exists():  # of this machine's network, too; apt may have replaced them
        (root / CERTIFICATES[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CERTIFICATES, root / CERTIFICATES[1:])
    places = [word for here, there in (mounted or {}).items() for word in (str(here), there)]
    enter = ["unshare", "--mount", "sh", "-c", _ENTER, "sh", str(root), *places, "--", *command]
    kept = {key: value for key, value in os.environ.items() if key.startswith(_SETTINGS)}
    base = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
    environment = {**base, **kept, **(settings or {})}
    output = None if log is None else subprocess.STDOUT
    return subprocess.run(enter, env=environment, stdout=log, stderr=output).returncode
