#!/bin/bash
# Right programs that move their data in any of the ways that CUDA has (transports.sh): none of them is no-gpu-work or suspect.
#
# N programs (13, which have each way) from number FROM (0) on: N=100 FROM=13 grader/test/transports.t tries others.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
tmp=$(mktemp -d /tmp/transports-test-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
. grader/test/quick-kit.sh
make_lean_toolkit "$tmp/toolkit"
lab=02-vector-add from=${FROM:-0} n=${N:-13}

for ((i = from; i < from + n; i++)); do
    mkdir -p "$tmp/in/p$i/$lab"
    grader/test/transports.sh $i >"$tmp/in/p$i/$lab/vector_add.cu"
done
"$BUILD/bin/grade" run --submissions "$tmp/in" --labs $lab --out "$tmp/out" --seed 7 --jobs 2 --case one-block >"$tmp/log" 2>&1
same "all pass" 0 $?
for ((i = from; i < from + n; i++)); do
    result=$tmp/out/results/p$i/$lab/result.json
    got=$(jq -r '.cases[0].verdict' "$result")
    [ "$got" == pass ] || jq -r '.build.log, (.cases[0] | .message, (.findings[] | .message))' "$result" | head -n 20 | sed 's/^/# /'
    same "$(head -n 1 "$tmp/in/p$i/$lab/vector_add.cu" | sed 's,^// ,,')" pass "$got"
done
tap_end
