"""``warpgraph --print-completion``, in a real shell."""

import shutil
import subprocess
import sys

import pytest

import warpgraph as wg
from warpgraph.cli import main


def script_for(capsys, shell):
    pytest.importorskip("shtab")
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_the_script_has_all_commands(capsys, shell):
    script = script_for(capsys, shell)
    for word in ("sssp", "components", "bench", "device", "json", "nearest", "communities"):
        assert word in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_values_and_files(capsys, tmp_path):
    (tmp_path / "complete.sh").write_text(script_for(capsys, "bash"))
    (tmp_path / "roads.csv").touch()
    for words, expected in [
        (["ss"], ["sssp"]),
        (["sssp", "--memory"], ["--memory-limit"]),
        (["sssp", "--method", "bell"], ["bellman_ford"]),
        (["info", "ro"], ["roads.csv"]),
        (["sssp", "--output", "ro"], ["roads.csv"]),
        (["near"], ["nearest"]),
        (["nearest", "--fac"], ["--facilities"]),
        (["communities", "--method", "lei"], ["leiden"]),
        (["within", "ro"], ["roads.csv"]),
        (["explain", "bet"], ["betweenness"]),
        (["explain", "betweenness", "--sam"], ["--sample"]),
        (["explain", "betweenness", "ro"], ["roads.csv"]),
    ]:
        listed = " ".join(["warpgraph", *words])
        code = (
            f"source ./complete.sh; COMP_WORDS=({listed}); COMP_CWORD={len(words)}; "
            "_shtab_warpgraph warpgraph ${COMP_WORDS[COMP_CWORD]} ${COMP_WORDS[COMP_CWORD-1]}; "
            "printf '%s\n' ${COMPREPLY[@]}"
        )
        done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.split() == expected, done.stderr


def test_without_the_package(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--print-completion", "bash"]) == 1
    assert capsys.readouterr().err.startswith(
        "warpgraph: pip install 'warpgraph[completion]': the package shtab"
    )


def test_another_shell(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", "fish"])
    assert ended.value.code == 2
    assert "'bash', 'zsh', 'tcsh'" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"warpgraph {wg.__version__}\n"
