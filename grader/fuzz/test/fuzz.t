#!/bin/bash
# Each of the grader's fuzz targets on its corpus and on seeded mutations of it: no crash, no broken promise; under SAN no report either.
here=$KIT/grader/fuzz
n=0
bad=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch

ok() { # STATUS NAME
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" || { echo "not ok $n - $2"; bad=1; tail -n 20 "$scratch/log" | sed 's/^/# /'; }
}

for folder in "$here"/corpus/*; do
    target=${folder##*/}
    files=("$folder"/*)
    mutations=1000
    case $target in lab) files+=("$KIT"/grader/core/test/yaml/*.yaml); mutations=300 ;; esac
    "$BUILD/fuzz/fuzz-$target" --seed=2026 --mutations=$mutations "${files[@]}" >"$scratch/log" 2>&1
    ok $? "$target: $(tail -n 1 "$scratch/log" | tr '#' ' ')"
done
for source in "$here"/*.c; do
    [ -d "$here/corpus/$(basename "$source" .c)" ]
    ok $? "$(basename "$source" .c) has a corpus"
done
[ "$(find "$scratch" -mindepth 1 ! -name log)" = "" ]
ok $? "the targets leave nothing behind"
echo "1..$n"
exit $bad
