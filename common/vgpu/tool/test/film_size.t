#!/bin/bash
# The largest films that public cases of labs make, each under 3 MB. (What a film may have at most: common/vgpu/film/test/test_film.c.)
: "${KIT:=$PWD}" "${BUILD:=$KIT/build}"
export KIT BUILD
. "$KIT/common/vgpu/cudart/test/tap.sh"
build=$(realpath "$BUILD")
unset MAKEFLAGS MFLAGS MAKELEVEL
small() { # NAME FILE LEAST: it has as much as it is here for, and no more than it may
    local bytes
    bytes=$(stat -c %s "$2" 2>/dev/null || echo 0)
    [ "$bytes" -gt "$3" ] && [ "$bytes" -lt 3000000 ]
    ok $? "$1: $((bytes / 1000)) kB"
}
show() { # LAB CASE...
    local lab=$1 work=$scratch/$1 case
    cp -r "$KIT/labs/$lab" "$work" && rm -rf "$work/build"
    for file in $("$build/bin/labtool" files "$work"); do cp "$KIT/solutions/$lab/$file" "$work/"; done
    for case in "${@:2}"; do
        make -s -C "$work" KIT="$KIT" KIT_BUILD="$build" show CASE="$case" >"$scratch/said" 2>&1 || cat "$scratch/said"
        small "$lab, $case" "$work/build/film.html" 400000
    done
}
show 08-matrix-multiply tiled-32 tiled
show 13-launch-configuration windows spread
finish
