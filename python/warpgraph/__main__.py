"""``python -m warpgraph`` is the command ``warpgraph``."""

import sys

from warpgraph.cli import main

sys.exit(main())
