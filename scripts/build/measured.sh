#!/bin/sh
# A launcher of compilers: runs a command, and adds a line to the file WARPGRAPH_BUILD_TIMES with the
# seconds of processors that it took and what it wrote, such as "12.5 object.o", for
# scripts/build/build_times.py. Behind a cache of compilations it runs only for what is compiled anew.
"$@" || exit
[ -n "$WARPGRAPH_BUILD_TIMES" ] || exit 0
output=
for word in "$@"; do
  [ "$before" = -o ] && output=$word
  before=$word
done
[ -n "$output" ] || exit 0
file=$(mktemp) && times > "$file"  # in a pipe it would be another shell's
# Its second line is of the commands that have ended: 1m2.345s 0m0.123s.
awk -F '[ms ]+' -v output="$output" \
  'NR == 2 { printf "%.2f %s\n", 60 * ($1 + $3) + $2 + $4, output }' "$file" >> "$WARPGRAPH_BUILD_TIMES"
rm -f "$file"
