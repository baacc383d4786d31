#!/bin/bash
# Every wrong submission of a lab, with code at its end that writes the values which the judge wants to read: it gets no more than
# without that. The code is grader/test/attacks-forged/NN-name.cu; added to the lab's solution it costs nothing.
#
#   bash grader/test/attacks-forged.t [BROKEN...]     only these of solutions/NN-name/broken; LABS: only these labs
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
[ -z "${SAN:-}" ] || skip_all "the virtual GPU is in the program's own process under a sanitizer"
tmp=$(mktemp -d /tmp/attacks-forged-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
labs=${LABS:-$(cd grader/test/attacks-forged && basename -s .cu ./*.cu)}


for lab in $labs; do
    file=$("$BUILD/bin/labtool" files "labs/$lab" | head -n 1)
    "$BUILD/bin/labtool" submissions "$lab" "$tmp/whole-$lab"
    names=("${@}")
    [ $# -gt 0 ] || names=($(cd "$tmp/whole-$lab/broken" && basename -s .cu ./*.cu))
    mkdir -p "$tmp/$lab/solution-forged/$lab"
    cat "solutions/$lab/$file" "grader/test/attacks-forged/$lab.cu" >"$tmp/$lab/solution-forged/$lab/$file"
    for name in "${names[@]}"; do
        for kind in plain forged; do
            mkdir -p "$tmp/$lab/$name-$kind/$lab"
            cp "$tmp/whole-$lab/broken/$name.cu" "$tmp/$lab/$name-$kind/$lab/$file"
        done
        cat "grader/test/attacks-forged/$lab.cu" >>"$tmp/$lab/$name-forged/$lab/$file"
    done
    "$grade" run --submissions "$tmp/$lab" --out "$tmp/out-$lab" --labs "$lab" --seed 7 --jobs "${GRADE_JOBS:-2}" >/dev/null 2>"$tmp/log" ||
        sed 's/^/# /' "$tmp/log" | grep -v '^# \[' || true
    same "$lab: forging takes nothing from the solution" "$(jq .max_score "$tmp/out-$lab/results/solution-forged/$lab/result.json")" \
        "$(jq .score "$tmp/out-$lab/results/solution-forged/$lab/result.json")"
    for name in "${names[@]}"; do
        for kind in plain forged; do
            jq '[.cases[] | {key: .name, value: .points}] | from_entries' "$tmp/out-$lab/results/$name-$kind/$lab/result.json" >"$tmp/$kind.json"
        done
        same "$lab $name: forging gains no points in any case" "" \
            "$(jq -rn --slurpfile p "$tmp/plain.json" --slurpfile f "$tmp/forged.json" \
                '$f[0] | to_entries[] | select(.value > $p[0][.key]) | "\(.key): \($p[0][.key]) -> \(.value)"')"
    done
done
tap_end
