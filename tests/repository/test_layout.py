"""scripts/check_layout.py finds violations of the rules."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

sys.path.append(str(ROOT / "scripts"))
import check_layout  # noqa: E402

GUARD = "#pragma once\n"
TREE = {
    "csrc/core/types.hpp": GUARD + "// printf( and std::cout and omp_lock_t in a note\n",
    "csrc/core/threads/parallel.hpp": GUARD + "#include <omp.h>\n#pragma omp parallel\n",
    "csrc/core/cuda/launch.cuh": GUARD + '#include "core/types.hpp"\n',
    "csrc/graph/csr.hpp": GUARD + '#include "core/types.hpp"\n',
    "csrc/primitives/relax.hpp": GUARD + '#include "graph/csr.hpp"\n',
    "csrc/algorithms/walk/steps.hpp": GUARD + '#include "primitives/relax.hpp"\n',
    "csrc/algorithms/walk/fast/fast.cpp": '#include "algorithms/walk/steps.hpp"\n',
    "csrc/algorithms/run/run_cpu.cpp": '#include "algorithms/walk/walk.hpp"\n',
    "csrc/runtime/link.hpp": GUARD + '#include "graph/csr.hpp"\n',
    "csrc/algorithms/walk/walk.hpp": GUARD + '#include "graph/csr.hpp"\n',
    "csrc/algorithms/walk/walk_cuda.cu": '#include "core/cuda/launch.cuh"\n',
    "csrc/algorithms/walk/bind.cpp": '#include "bindings/arrays.hpp"\nauto s = "exit(1)";\n',
    "csrc/bindings/arrays.hpp": GUARD + '#include "algorithms/walk/walk.hpp"\n',
    "csrc/core/cuda/cub/sort.cu": "#include <cub/cub.cuh>\n",
    "cmake/cuda.cmake": 'set(tuned_kernels "/cub/|/tiles_cuda")\n',
    "python/warpgraph/__init__.py": "from warpgraph._paths.walk import walk\n",
    "python/warpgraph/_graph/graph.py": "class Graph: ...\n",
    "python/warpgraph/_paths/walk.py": "def walk():\n    print('python may print')\n",
    "scripts/python_debts.json": '{"numbers": {}}',
}


@pytest.fixture
def tree(tmp_path):
    """Return a function that changes a file of a tree without violations, and returns findings."""

    def change(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return [finding.split(": ", 1) for finding in check_layout.check(tmp_path)]

    for path, text in TREE.items():
        change(path, text)
    return change


def test_a_tree_without_violations_has_no_findings(tree):
    assert tree("csrc/core/types.hpp", TREE["csrc/core/types.hpp"]) == []


def test_a_folder_has_fifteen_files_at_most(tree):
    for number in range(14):
        assert tree(f"csrc/graph/a{number}.cpp", "int x;\n") == []
    assert tree("csrc/graph/last.cpp", "int x;\n") == [["csrc/graph", "16 files; 15 are the limit"]]


@pytest.mark.parametrize("folder", ["python/warpgraph/_rank", "tests", "benchmarks", "scripts"])
def test_a_folder_of_python_has_fifteen_files_at_most(tree, folder):
    for number in range(15):
        assert tree(f"{folder}/a{number}.py", "") == []
    assert tree(f"{folder}/last.py", "") == [[folder, "16 files; 15 are the limit"]]


@pytest.mark.parametrize("folder", ["tests/cpp", "tests/emulator", "benchmarks/runtime"])
def test_files_of_both_languages_are_counted(tree, folder):
    for number in range(5):
        for kind in ("cpp", "cu", "py"):
            assert tree(f"{folder}/a{number}.{kind}", "") == []
    found = [[folder, "16 files; 15 are the limit"]]
    assert tree(f"{folder}/last.hpp", GUARD) == found


@pytest.mark.parametrize(
    "text",
    [
        "\nfrom warpgraph._paths.walk import walk\n",
        "\nimport warpgraph._paths.walk\n",
        "def graph():\n    from warpgraph._paths import walk\n",
        "if TYPE_CHECKING:\n    from warpgraph._paths.walk import walk\n",
    ],
)
def test_imports_point_down(tree, text):
    what = "_graph.graph -> _paths.walk"
    found = ["python/warpgraph/_graph/graph.py:2", f"{what}: an arrow that points up"]
    assert tree("python/warpgraph/_graph/graph.py", text) == [found]


@pytest.mark.parametrize("folder", ["_trees", "_search"])
def test_folders_of_a_row_do_not_import_each_other(tree, folder):
    [[place, _]] = tree(f"python/warpgraph/{folder}/a.py", "from warpgraph._paths import walk\n")
    assert place == f"python/warpgraph/{folder}/a.py:1"


def test_imports_have_no_circle(tree):
    tree("python/warpgraph/_graph/a.py", "from warpgraph._graph.b import b\n")
    tree("python/warpgraph/_graph/b.py", "def b():\n    from warpgraph._graph import c\n")
    found = tree("python/warpgraph/_graph/c.py", "from warpgraph._graph import a, graph\n")
    assert found == [
        [f"python/warpgraph/_graph/{name}.py:1", f"a circle of imports with {others}"]
        for name, others in (
            ("a", "_graph.b, _graph.c"),
            ("b", "_graph.a, _graph.c"),
            ("c", "_graph.a, _graph.b"),
        )
    ]


def test_includes_have_no_circle(tree):
    tree("csrc/graph/a.hpp", GUARD + '#include "graph/b.hpp"\n')
    tree("csrc/graph/b.hpp", GUARD + '#include "graph/csr.hpp"\n')
    found = tree("csrc/graph/b.hpp", GUARD + '#include "graph/a.hpp"\n')
    assert found == [
        ["csrc/graph/a.hpp:1", "a circle of includes with graph/b.hpp"],
        ["csrc/graph/b.hpp:1", "a circle of includes with graph/a.hpp"],
    ]


def test_debts_that_are_paid_are_removed(tree):
    walk = "python/warpgraph/_paths/walk.py"
    debts = {"numbers": {walk: 1}}
    assert [what for _, what in tree("scripts/python_debts.json", json.dumps(debts))] == [
        f"{walk} has 0 numbers by now, not 1: lower the number",
    ]


@pytest.mark.parametrize("name", ["_WORTH_A_GPU", "SECONDS", "_BYTES_AN_EDGE", "_FEW_VERTICES"])
def test_numbers_of_machines_are_in_one_file(tree, name):
    path = "python/warpgraph/_paths/walk.py"
    others = "_MOST = 3\n_FEW_NAMES = ('a',)\n\ndef walk():\n    FEW = 3\n"
    assert tree(path, f"{others}{name}: int = 1 << 20\n") == [
        [f"{path}:6", f"{name}: csrc/plan/rates.hpp has the numbers of machines"]
    ]
    assert tree(path, f"{others}# {name}: 1\n") == []


@pytest.mark.parametrize(
    ("path", "text", "line", "sentence"),
    [
        ("csrc/core/a.hpp", GUARD + '#include "graph/csr.hpp"\n', 2, "core includes graph/csr.hpp"),
        ("csrc/core/cuda/a.cu", '#include "graph/csr.hpp"\n', 1, "points up"),
        ("csrc/graph/a.cpp", '\n#include "algorithms/walk/walk.hpp"\n', 2, "points up"),
        ("csrc/graph/a.cpp", '#include "runtime/link.hpp"\n', 1, "points up"),
        ("csrc/runtime/a.cpp", '#include "algorithms/walk/walk.hpp"\n', 1, "points up"),
        ("csrc/algorithms/walk/walk_cpu.cpp", '#include "bindings/arrays.hpp"\n', 1, "points up"),
        ("csrc/bindings/a.cpp", '#include "experiments/walk.hpp"\n', 1, "laboratory"),
        ("experiments/a.cpp", "auto s = printf(0);\n", 1, "prints nothing"),
        ("csrc/graph/a.cpp", "#include <algorithms/walk/walk.hpp>\n", 1, "points up"),
        ("csrc/primitives/a.cpp", '#include "algorithms/walk/walk.hpp"\n', 1, "points up"),
        ("csrc/graph/a.cpp", '#include "primitives/relax.hpp"\n', 1, "points up"),
        ("csrc/algorithms/run/a.cu", '#include "algorithms/walk/steps.hpp"\n', 1, "its contract"),
        ("csrc/graph/a.cpp", '#include "core/gone.hpp"\n', 1, "there is no csrc/core/gone.hpp"),
        ("csrc/graph/a.cpp", '#include "core/cuda/launch.cuh"\n', 1, "needs nvcc"),
        (
            "csrc/algorithms/walk/walk.hpp",
            GUARD + "#include <cuda_runtime_api.h>\n",
            2,
            "includes no CUDA header",
        ),
        ("csrc/core/a.cpp", '\n\nint a = printf("x");\n', 3, "prints nothing"),
        ("csrc/core/a.cpp", "void f() { std::cout << 1; }\n", 1, "prints nothing"),
        ("csrc/graph/a.cpp", "/* one\ntwo */ void f() { exit(1); }\n", 2, "ends no process"),
        ("csrc/graph/a.cpp", "void f() { std::abort(); }\n", 1, "ends no process"),
        (
            "csrc/graph/a.cpp",
            "#pragma omp parallel for\n",
            1,
            "only core/threads/parallel uses OpenMP",
        ),
        ("csrc/graph/a.cpp", "int n = omp_get_max_threads();\n", 1, "uses OpenMP"),
        ("csrc/graph/a.cu", "auto e = cudaMallocManaged(&p, 8);\n", 1, "no managed memory"),
        ("csrc/algorithms/walk/a.cu", "auto e = cudaDeviceSynchronize();\n", 1, "waits for its"),
        ("csrc/graph/a.cu", "f(std::span(p, 3));\n", 1, "std::span<const T>"),
        ("csrc/graph/a.hpp", GUARD + "const std::span s{p, 3};\n", 2, "std::span<const T>"),
        ("tests/cpp/a.cu", "const std::span s = all;\n", 1, "std::span<const T>"),
        ("csrc/graph/a.cpp", "#include <immintrin.h>\n", 1, "core/processor"),
        ("csrc/core/a.cpp", "\n#if defined(__x86_64__)\n#endif\n", 2, "core/processor"),
        ("csrc/graph/a.cpp", "#if defined(__linux__)\n#endif\n", 1, "operating system"),
        ("csrc/runtime/a.cpp", "#include <sys/mman.h>\n", 1, "operating system"),
        ("csrc/graph/a.cu", "#include <cub/cub.cuh>\n", 1, "differs between architectures"),
        ("csrc/graph/a.cuh", GUARD + "#if __CUDA_ARCH__ >= 900\n", 2, "name the file in cmake"),
        ("csrc/graph/a.cu", "int x = __viaddmin_s32(a, b, c);\n", 1, "differs between"),
        ("csrc/core/a.cpp", "int x;\n" * 451, 450, "the file has 451 lines"),
        ("csrc/graph/bind_a.cpp", "int x;\n" * 81, 80, "the file has 81 lines"),
        ("python/warpgraph/a.py", "x = 1\n" * 451, 450, "the file has 451 lines"),
        ("csrc/core/a.cpp", "//" + " " * 99 + "\n", 1, "the line has 101 columns"),
        ("csrc/core/a.hpp", "int x();\n", 1, "#pragma once"),
        ("csrc/core/a.cpp", "int x;\n/// Of the last\n/// run.\n", 2, "not with Of"),
        ("csrc/graph/a.cpp", "struct A {\n  /// The same, twice.\n", 2, "not with The same"),
        ("csrc/runtime/a.cu", "/// Its size.\n", 1, "not with Its"),
        ("csrc/graph/a.cpp", "/// Returns the size\n/// of a list\nint x;\n", 2, "a full stop"),
        ("csrc/core/a.cpp", "/// (ends, weights).\nusing A = int;\n", 1, "without ( first"),
        ("csrc/core/a.cpp", "int f();\n/// Does the same twice.\nint g();\n", 2, "Does the same"),
        ("csrc/core/a.cpp", "/// The size.\ninline int size(int n);\n", 1, "begins with a verb"),
        ("csrc/graph/a.cu", "/// `n`: a size.\n__global__ void f(int n) {}\n", 1, "with a verb"),
        (
            "csrc/graph/a.cpp",
            "struct A {\n  /// Floyd's method.\n  template <class W>\n  std::vector<W> f(int n);\n",
            2,
            "begins with a verb",
        ),
        ("csrc/core/a.cpp", "/// Returns 3.\nconstexpr int three = 3;\n", 1, "returns nothing"),
        ("python/warpgraph/a.py", '"""Sizes."""\n\ndef f():\n    """Whether"""\n', 4, "not with W"),
        ("scripts/a.py", "#: Numbers\n#: of lists.\nN = 1\n#: Of sets.\n", 4, "not with Of"),
        ("python/warpgraph/a.py", "# TO" + "DO: later\n", 1, "finish the work"),
        ("tests/test_a.py", "def f():\n" + "    x = 1\n" * 80, 1, "f has 81 lines of code"),
        ("benchmarks/results/a.json", "{", 1, "not JSON"),
        ("benchmarks/results/a.json", '{"format": 1}', 1, "the result lacks 'benchmark'"),
        ("benchmarks/results/a.json", '{"dirty": true}', 1, "uncommitted changes"),
    ],
)
def test_a_planted_violation_is_found_at_its_line(tree, path, text, line, sentence):
    findings = [what for place, what in tree(path, text) if place == f"{path}:{line}"]
    assert any(sentence in what for what in findings)


@pytest.mark.parametrize(
    "comment",
    [
        "/// Frontier of a round.",
        "  ///< Items of a list (or none).",
        "/// Sorts items:\n///   first by weight\n///   then by row.",
        "/// The sizes (of lists).\ntemplate <int D>\ninline constexpr int sizes = f(D);",
        "/// `n` is a size.\nexplicit List(int n);",
        "/// Returns the size.\n[[nodiscard]] constexpr int size() const { return n; }",
        "/// Returns the size.\nstd::function<int()> size = {};",
        "/// The size and the weight.\nstruct alignas(sizeof(int)) A {",
        "/// Arrays.\nusing Arrays = Tuple<int(int)>;",
        "// Of the last run",
        "int x;  // of the last run",
    ],
)
def test_comments_that_say_what_a_thing_is(tree, comment):
    assert tree("csrc/core/a.cpp", comment + "\n") == []


def test_builds_without_cuda_include_none_of_its_headers(tree):
    tree("csrc/core/cuda/check.hpp", GUARD + "#include <cuda_runtime_api.h>\n")
    include = '#include "core/cuda/check.hpp"\n'
    guarded = f"#if defined(WARPGRAPH_HAS_CUDA)\n{include}#endif\n"
    assert tree("csrc/bindings/items.cpp", guarded) == []
    assert tree("csrc/bindings/items.cpp", include) == [
        ["csrc/core/cuda/check.hpp:2", "builds without CUDA include cuda_runtime_api.h here"]
    ]


def test_a_violation_fails_the_command(tree, tmp_path, monkeypatch, capsys):
    tree("csrc/core/a.cpp", "void f() { abort(); }\n")
    monkeypatch.setattr(sys, "argv", ["check_layout.py", str(tmp_path)])
    with pytest.raises(SystemExit, match="1 violations"):
        check_layout.main()
    assert "csrc/core/a.cpp:1: abort: a library ends no process" in capsys.readouterr().out
