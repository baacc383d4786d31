#!/bin/bash
# Submissions that have the host do the work, or that look so: attacks-work/LAB/*.cu, each with the verdict of its first line, in one case of
# its lab (`// case:`, or one-block). Controls use the same means for what they are for, and pass.
#
# LABS=08-matrix-multiply restricts it.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
tmp=$(mktemp -d /tmp/work-test-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
make_lean_toolkit "$tmp/toolkit"

expectation() { # FILE WORD
    sed -n "s,^// $2: ,,p" "$1"
}

for folder in grader/test/attacks-work/*/; do
    lab=$(basename "$folder")
    [ -z "${LABS:-}" ] || [ "$LABS" == "$lab" ] || continue
    source=$("$BUILD/bin/labtool" files "labs/$lab" | head -n 1)
    for file in "$folder"*.cu; do
        mkdir -p "$tmp/$lab/$(basename "$file" .cu)/$lab"
        cp "$file" "$tmp/$lab/$(basename "$file" .cu)/$lab/$source"
    done
    case=$(cat "$folder"*.cu | sed -n 's,^// case: ,,p' | sort -u)
    "$BUILD/bin/grade" run --submissions "$tmp/$lab" --labs "$lab" --out "$tmp/$lab-out" --seed 7 --jobs 2 --case "${case:-one-block}" >"$tmp/log" 2>&1
    same "$lab: the run ends, with work that falls short" 1 $?
    for file in "$folder"*.cu; do
        name=$(basename "$file" .cu)
        result=$tmp/$lab-out/results/$name/$lab/result.json
        got=$(jq -r '.cases[0].verdict' "$result")
        wanted=$(expectation "$file" expect)
        [ "$got" == "$wanted" ] || jq -r '.build.log, .cases[0].message' "$result" | sed 's/^/# /'
        same "$lab: $name: $wanted" "$wanted" "$got"
    done
    check "$lab: no attack without its control" grep -q '^// control:' "$folder"*.cu "$folder"../02-vector-add/*.cu
done

# A sample of the cases is judged at first; what cheats in every case is found in every case that says more than a program may say.
lab=02-vector-add
mkdir -p "$tmp/everywhere/s001/$lab"
cp grader/test/attacks-work/$lab/copy-kernel.cu "$tmp/everywhere/s001/$lab/vector_add.cu"
for seed in 7 8; do
    "$BUILD/bin/grade" run --submissions "$tmp/everywhere" --labs $lab --out "$tmp/everywhere-$seed" --seed $seed --jobs 2 >"$tmp/log" 2>&1
    got=$(jq -r '.cases[] | select(.verdict == "no-gpu-work" and .points == 0) | .name' "$tmp/everywhere-$seed/results/s001/$lab/result.json" | sort | tr '\n' ' ')
    same "$lab: copy-kernel in every case, seed $seed" "large-odd many-blocks many-calls one-block one-less one-more one-pass traffic twice " "$got"
done
tap_end
