#!/bin/bash
# Puts together what test-gpu.sh needs on a machine that has gcc, make, nvcc and a driver, and nothing else of ours.
#
#   bundle.sh TO      BUILD is set by the Makefile
#
# TO/{labs,solutions,common}          as in the kit, submissions as whole sources
# TO/build/bin TO/build/labs          commands and judges, statically linked; TO/build/lib as in the kit
# TO/bin/bwrap TO/lib                 bubblewrap and its libraries, where this machine has it
# TO/virtual/                         what the virtual GPU counts for the ladders, to be compared with hardware's counters
# TO/test-gpu                         the test
set -euo pipefail
: "${BUILD:?}"
to=$1
rm -rf "$to"
mkdir -p "$to"/{bin,lib,common,virtual,build/{bin,lib/vgpu,labs}}
cp -r labs solutions "$to"
rm -rf "$to"/labs/*/build
for lab in labs/*/lab.yaml; do # there the submissions are whole sources
    lab=$(basename "$(dirname "$lab")")
    rm -rf "$to/solutions/$lab"/{broken,accepted}
    "$BUILD/bin/labtool" submissions "$lab" "$to/solutions/$lab"
done
cp -r common/lab common/ladder common/base "$to/common"
cp "$BUILD"/gpu/{grade,labtool,profile-table,vgpu} "$BUILD/bin/grade-runner" "$to/build/bin"
cp "$BUILD"/lib/{liblab,liblab-own}.a "$to/build/lib"
cp "$BUILD"/lib/vgpu/lib*.so.* "$to/build/lib/vgpu"
for lab in labs/*/lab.yaml; do
    lab=$(basename "$(dirname "$lab")")
    mkdir -p "$to/build/labs/$lab"
    cp "$BUILD/labs/$lab/driver.o" "$BUILD/gpu/labs/$lab/judge" "$to/build/labs/$lab"
done
strip "$to"/build/bin/* "$to"/build/labs/*/judge
cp -r grader/gpu/{ceilings.cu,look-around.cu,sanitize.sh,parts} grader/test/attacks-timing grader/judge/ncu_counters.def "$to"
cp grader/gpu/measured/h100-broken.tsv "$to/known.tsv"
cp grader/gpu/test-gpu.sh "$to/test-gpu"

if bwrap=$(command -v bwrap); then
    cp "$bwrap" "$to/lib/bwrap.program"
    ldd "$bwrap" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /ld-linux/ { print $1 }' | xargs -I{} cp -L {} "$to/lib"
    cat >"$to/bin/bwrap" <<'WRAPPER'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/../lib
exec "$here"/ld-linux*.so.* --library-path "$here" "$here/bwrap.program" "$@"
WRAPPER
    chmod 755 "$to/bin/bwrap"
fi

RAW=$to/virtual/ladders.tsv BUILD=$BUILD common/ladder/ladders.sh virtual >"$to/virtual/ladders.txt"
for ladder in "$BUILD"/ladders/*; do
    "$BUILD/bin/vgpu" --quiet --check=none --device=h100 --report="$to/virtual/$(basename "$ladder").json" "$ladder" >/dev/null
done
du -sh "$to"
