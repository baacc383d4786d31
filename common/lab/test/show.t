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
show 02-vector-add CASE=one-more FILM=build/film.txt
[ $? = 0 ] && grep -q 'a film of a launch is in build/film.txt$' "$scratch/out" && grep -qE '^ +[0-9]+  warp 0, line [0-9]+: 32 threads load a\[0[.][.]31\]' "$scratch/02-vector-add/build/film.txt"
same "sentences for who asks for them" 0 $?
[ -e "$scratch/02-vector-add/build/film.html" ]
same "and no old page beside them" 1 $?
show 02-vector-add CASE=one-more DEVICE=gpu
[ $? != 0 ] && grep -q 'virtual GPU alone' "$scratch/out"
same "there is none of a card" 0 $?
show 02-vector-add CASE=one-more LAUNCH=nobody
[ ! -e "$scratch/02-vector-add/build/film.html" ] && grep -q 'no launch for a film' "$scratch/out"
same "a launch that is not there leaves no old page" 0 $?

# A case's own shapes (lab.yaml), and those of who asks.
halos() { film 09-convolution '[(.arrays, .shared)[] | select(.shape) | .name + "=" + (.shape | map(tostring) | join("x")) + (if .halo then "+" + (.halo | map(tostring) | join("x")) else "" end)] | join(" ")'; }
lab 09-convolution
show 09-convolution CASE=tiled
same "the case's shapes" "in=48x96 out=48x96 tile=18x36+1x2" "$(halos)"
show 09-convolution CASE=tiled SHAPE=out=96x48,tile=9x36
same "others, where they are asked for" "in=48x96 out=96x48 tile=9x36" "$(halos)"
show 09-convolution CASE=tiled SHAPE=tile=180x36
same "one that is larger than its array is another's" "in=48x96 out=48x96 tile=18x36+1x2" "$(halos)"
(cd "$scratch/09-convolution" && env KIT_LANG=en "$KIT_BUILD/bin/labtool" shapes . tiled height=20 radius_x=3) >"$scratch/out"
same "of parameters that are given" "in=20x96,out=20x96,tile=18x38+1x3" "$(cat "$scratch/out")"
same "a case that has none" "" "$("$KIT_BUILD/bin/labtool" shapes labs/09-convolution line)"
tap_end
