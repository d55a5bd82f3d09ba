"""Check the conda recipe: parse it, and fill it in for each system that it is for.

python scripts/check_recipe.py
"""

from __future__ import annotations

from pathlib import Path

from rattler_build import RenderConfig, Stage0Recipe, VariantConfig
from rattler_build.tool_config import PlatformConfig

ROOT = Path(__file__).parent.parent
RECIPE = ROOT / "packaging" / "conda" / "recipe.yaml"
#: Settings of conda-forge for each system: the package that stands for the C library.
SYSTEMS = {
    "linux-64": "sysroot",
    "linux-aarch64": "sysroot",
    "osx-arm64": "macosx_deployment_target",
}


def main() -> None:
    """Check; a fault of the recipe is an error that names its place."""
    recipe = Stage0Recipe.from_yaml(RECIPE.read_text())
    for system, library in SYSTEMS.items():
        variants = VariantConfig({"c_stdlib": [library], "c_stdlib_version": ["2.28"]})
        platform = PlatformConfig(target_platform=system)
        filled_in = recipe.render(variants, RenderConfig(platform=platform))
        if len(filled_in) != 1:
            raise SystemExit(f"{RECIPE}: {len(filled_in)} packages for {system}, expected one")


if __name__ == "__main__":
    main()
