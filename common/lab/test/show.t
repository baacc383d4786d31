#!/bin/bash
# `make show` in a lab's folder: a page of the case's kernel in build/film.html, and what `make run` says.
: "${BUILD:=build}" "${KIT:=$PWD}"
cd "$KIT" || exit 2
. grader/test/tap.sh
command -v "${NVCC:-nvcc}" >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || skip_all "no nvcc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export KIT_BUILD
KIT_BUILD=$(realpath "$BUILD")
lab() { # LAB: a copy with the solution in it
    cp -r "labs/$1" "$scratch/$1"
    rm -rf "$scratch/$1/build"
    cp "solutions/$1/"*.cu "$scratch/$1/"
    rm -f "$scratch/$1/ladder.cu"
}
show() { # LAB [VARIABLE=VALUE...]
    make -s -C "$scratch/$1" KIT="$KIT" show "${@:2}" >"$scratch/out" 2>&1
}
film() { # LAB JQ: of the film's data
    sed -n 's|.*<script type="application/json" id="film">\(.*\)</script>$|\1|p' "$scratch/$1/build/film.html" | jq -r "$2"
}

lab 02-vector-add
show 02-vector-add CASE=one-more
same "a right solution" 0 $?
same "of the lab's kernel" 1 "$(film 02-vector-add .launch)"
same "the arrays have the source's names" "a b c" "$(film 02-vector-add '[.arrays[].name] | sort | join(" ")')"
grep -q 'build/film.html' "$scratch/out"
same "it says where the page is" 0 $?
show 02-vector-add CASE=one-more DEVICE=gpu
[ $? != 0 ] && grep -q 'virtual GPU alone' "$scratch/out"
same "there is none of a card" 0 $?
show 02-vector-add CASE=one-more LAUNCH=nobody
[ ! -e "$scratch/02-vector-add/build/film.html" ] && grep -q 'no launch for a film' "$scratch/out"
same "a launch that is not there leaves no old page" 0 $?
tap_end
