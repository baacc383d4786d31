#!/bin/bash
# What a sandbox of its own for the virtual GPU costs: the solutions of all labs (or of LABS), graded in process and isolated, turn
# by turn. Of each case the least of ROUNDS runs counts, so that what else the machine does falls out; a lab's cases are summed.
# usage: isolated.sh [ROUNDS] [LABS, separated by commas]
set -e
cd "$(dirname "$0")/../.."
rounds=${1:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for lab in labs/*/; do
    lab=$(basename "$lab")
    [[ -z $2 || ,$2, == *,$lab,* ]] || continue
    mkdir -p "$tmp/class/s001/$lab"
    cp solutions/"$lab"/*.cu "$tmp/class/s001/$lab/" 2>/dev/null || rmdir "$tmp/class/s001/$lab"
done
for ((i = 1; i <= rounds; i++)); do
    for way in in-process isolated; do
        option=$([ $way = isolated ] || echo --in-process)
        "$BUILD/bin/grade" run $option --submissions "$tmp/class" --out "$tmp/$way-$i" --seed 1 --jobs 1 >/dev/null 2>&1 || true
        echo "round $i of $rounds, $way" >&2
    done
done

# least WAY LAB MEMBER: the sum over the cases of a lab of the least of all rounds
least() {
    cat "$tmp/$1"-*/results/s001/"$2"/timing.json |
        jq -s --arg m "$3" '[.[].cases[] | {name, v: .[$m]}] | group_by(.name) | map(map(.v) | min) | add // 0'
}
printf '%-24s %26s %26s\n' '' 'seconds by the clock' 'seconds of processors'
printf '%-24s %8s %8s %8s %8s %8s %8s\n' lab inside isolated ratio inside isolated ratio
for dir in "$tmp"/in-process-1/results/s001/*/; do
    lab=$(basename "$dir")
    [ "$(least in-process "$lab" wall_s)" != 0 ] || continue
    echo "$lab $(least in-process "$lab" wall_s) $(least isolated "$lab" wall_s) $(least in-process "$lab" cpu_s) $(least isolated "$lab" cpu_s)"
done | awk '{ printf "%-24s %8.3f %8.3f %8.2f %8.3f %8.3f %8.2f\n", $1, $2, $3, $3 / $2, $4, $5, $5 / $4; for (i = 2; i < 6; i++) sum[i] += $i }
    END { printf "%-24s %8.3f %8.3f %8.2f %8.3f %8.3f %8.2f\n", "all", sum[2], sum[3], sum[3] / sum[2], sum[4], sum[5], sum[5] / sum[4] }'
