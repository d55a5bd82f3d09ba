#!/usr/bin/env bash
# On a machine with a GPU, what a user does there: the source distribution, installed with CUDA and the
# default options, then the whole suite with the GPUs. Needs no network if the packages of
# pyproject.toml are there.
#
#   scripts/gpu_machine.sh build           installs, and prints what was built and found
#   scripts/gpu_machine.sh experiments     after that: builds and installs the laboratory, and tests it
#   scripts/gpu_machine.sh test [OPTIONS]  pytest with these options, eight tests at a time
#   scripts/gpu_machine.sh check [NAMES]   tests/*/test_NAME.py, each under compute-sanitizer, side by side
#
# OUT is the folder for logs. Where Python's headers are not installed, HEADERS names their folder.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-build/gpu}
python=${PYTHON:-python3}
mkdir -p "$out"
export MPLBACKEND=Agg PYTHONUNBUFFERED=1

case ${1:-} in
  build)
    rm -rf build/gpu-sdist build/gpu-source build/gpu-package
    "$python" -m build --sdist --no-isolation --outdir build/gpu-sdist . > "$out/sdist.log"
    mkdir -p build/gpu-source
    tar -xzf build/gpu-sdist/*.tar.gz -C build/gpu-source --strip-components=1
    headers=()
    if [ -n "${HEADERS:-}" ]; then headers=(-C "cmake.define.Python_INCLUDE_DIR=$HEADERS"); fi
    time "$python" -m pip install --no-deps --no-build-isolation -v "${headers[@]}" \
      -C cmake.define.WARPGRAPH_CUDA=ON -C cmake.define.WARPGRAPH_EXPERIMENTS=ON \
      -C build-dir="$PWD/build/gpu-package" ./build/gpu-source > "$out/build.log" 2>&1 \
      || { grep -m 5 -B 2 -A 8 -E "error|FAILED" "$out/build.log"; exit 1; }
    grep -c "warning" "$out/build.log" || true
    (cd / && "$python" -m warpgraph info)
    ;;
  experiments)
    cmake=$(sed -n 's/^CMAKE_COMMAND:INTERNAL=//p' build/gpu-package/CMakeCache.txt)
    time "$cmake" --build build/gpu-package --target warpgraph_experiments > "$out/experiments.log" 2>&1 \
      || { grep -m 5 -B 2 -A 8 -E "error|FAILED" "$out/experiments.log"; exit 1; }
    cp build/gpu-package/experiments/warpgraph_experiments*.so \
      "$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"
    "$python" -m pytest -q -n 8 -p no:cacheprovider -p no:benchmark tests/experiments 2>&1 \
      | tee "$out/experiments-tests.log" | tail -40
    ;;
  test)
    shift
    "$python" -m pytest -q -n 8 -p no:cacheprovider -p no:benchmark "$@" 2>&1 | tee "$out/tests.log" | tail -40
    ;;
  check)
    shift
    pids=()
    names=${*:-bfs dense_mst graph_weights hdbscan_limits kmeans kmeans_starts pagerank}
    for name in $names; do
      compute-sanitizer --tool memcheck --error-exitcode 9 "$python" -m pytest -q -x -k cuda \
        -p no:benchmark -p no:cacheprovider tests/*/"test_$name.py" > "$out/memcheck-$name.log" 2>&1 &
      pids+=("$!")
    done
    status=0
    for pid in "${pids[@]}"; do wait "$pid" || status=1; done
    tail -n 3 "$out"/memcheck-*.log
    exit "$status"
    ;;
  *)
    sed -n '2,13p' "$0"
    exit 2
    ;;
esac
