#!/bin/bash
# make doctor: what this machine has of what the kit needs, and at the end the one problem that matters.
#
#   doctor.sh      in the kit's folder, with BUILD
#
# `grade doctor` says all of that as soon as it is built; this says what building it needs. The exit status is 0 whatever is found.
set -uo pipefail
: "${BUILD:=build}" "${NVCC:=nvcc}"

note() { printf '%-14s %s\n' "$1" "$2"; }
first_of_all() { printf '\nfirst of all: %s\n    %s\n' "$1" "$2"; exit 0; }

if [ -x "$BUILD/bin/grade" ]; then
    "$BUILD/bin/grade" doctor | if [ -x "$BUILD/bin/labtool" ]; then "$BUILD/bin/labtool" wrap; else cat; fi
    exit 0
fi
note kit "$PWD, not built yet"
note compiler "$(gcc --version 2>/dev/null | head -n 1 | grep . || echo 'no gcc')"
note nvcc "$("$NVCC" --version 2>/dev/null | grep -o 'release.*' | grep . || echo 'none; clang does')"
missing=$(common/mk/setup.sh missing 2>/dev/null)
note packages "$([ -z "$missing" ] && echo 'all are there' || wc -w <<<"$missing" | sed 's/$/ are missing/')"
room=$(df --output=avail -m . | tail -n 1)
note room "$((room)) MiB free here"
[ -z "$missing" ] || first_of_all "these packages are missing: $(fmt -w 60 <<<"$missing" | sed '2,$s/^/    /')" 'make setup'
[ "$room" -ge 1024 ] || first_of_all 'less than 1 GiB of room is left to build in' 'make space, or unpack the kit elsewhere'
first_of_all 'the kit is not built yet' 'make -j2'
