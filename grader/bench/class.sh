#!/bin/bash
# A whole class, graded against compiling alone: STUDENTS students with something for every lab, right, wrong, untouched, not
# compiling or missing as in real classes; no two submissions alike, and nothing graded once for two. Beside `grade run` stand
# plain nvcc runs of the same files, and where the processors' time went.
#
#   class.sh [STUDENTS] [JOBS] [LABS] [SEED]      300 students, JOBS at a time (2), all labs, seed 1
#   COMPILER=clang                                what grades compiles with it; what stands beside is nvcc all the same
#
# Both are run in slices that alternate, so that a machine whose speed drifts treats them alike. The processors' time is the
# figure to trust where other programs run.
set -euo pipefail
cd "$(dirname "$0")/../.."
students=${1:-300}
jobs=${2:-2}
labs=${3:-$(cd solutions && ls -d -- */ | tr -d / | tr '\n' ' ')}
RANDOM=${4:-1}
slices=$((students * $(wc -w <<<"$labs") / 50)) # each is a run of its own, whose beginning shall not weigh more than in a class
slices=$((slices < 1 ? 1 : slices > 12 ? 12 : slices))
BUILD=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

. grader/bench/make-class.sh
make_class "$work" "$students" "$labs" $slices 1 >"$work/kinds"
n=$(wc -l <"$work/kinds")
sort "$work/kinds" | uniq -c >"$work/mix"

compile() { # FOLDER of a submission
    local lab
    lab=$(basename "$1")
    nvcc -arch=compute_75 -cudart shared -lineinfo -g -I"labs/$lab" -Icommon/lab "$1"/*.cu "$BUILD/labs/$lab/driver.o" "$BUILD/lib/liblab.a" -o "$1/out"
}
export -f compile
export BUILD

TIMEFORMAT='%R %U %S'
seconds() { # appends "wall user sys" of a command to a file
    local to=$1
    shift
    { time "$@" >/dev/null 2>"$work/errors" || [ $? -ne 2 ]; } 2>>"$to"
}
for ((s = 0; s < slices; s++)); do
    seconds "$work/grade" "$BUILD/bin/grade" run --submissions "$work/slice$s" --out "$work/out$s" --labs "${labs// /,}" --jobs "$jobs" --seed 1 --no-sharing --compiler "${COMPILER:-auto}"
    seconds "$work/nvcc" bash -c "find '$work/slice$s' -name '*.cu' -printf '%h\n' | sort -u | xargs -P $jobs -I{} bash -c 'compile {} || true'"
    echo "slice $((s + 1)) of $slices: grade run $(tail -1 "$work/grade"), nvcc alone $(tail -1 "$work/nvcc")" >&2
done

results=("$work"/out*/results/*/*/result.json)
timings=("$work"/out*/results/*/*/timing.json)
[ ${#results[@]} -eq $n ] || { echo "bench: only ${#results[@]} of $n submissions were graded" >&2; exit 2; }
bad=$(jq -r 'select(.verdict == "kit-error") | .student + " " + .lab' "${results[@]}")
[ -z "$bad" ] || { echo "bench: at the kit's own fault: $bad" >&2; exit 2; }

echo "$students students, $(wc -w <<<"$labs") labs, $jobs at a time; of $n submissions$(awk '{ n = $1; sub(/^ *[0-9]+ /, ""); printf "%s %d %s", (NR > 1 ? "," : ""), n, $0 }' "$work/mix")"
paste -d' ' "$work/grade" "$work/nvcc" | awk -v n=$n -v asked="$([ "${COMPILER:-}" = clang ] && echo 0.6 || echo 1.5)" -v phases="$(jq -s 'map(.processor_s) | map(to_entries) | add | group_by(.key) | map("\(.[0].key) \(map(.value) | add)") | join(" ")' -r "${timings[@]}")" '
    { g += $1; gc += $2 + $3; v += $4; vc += $5 + $6 }
    END {
        printf "                                clock s   processor s   s a submission\n"
        printf "  nvcc alone                  %9.2f %13.2f %16.3f\n", v, vc, vc / n
        printf "  grade run                   %9.2f %13.2f %16.3f\n", g, gc, gc / n
        printf "  ratio                       %9.2f %13.2f     (at most %s is asked)\n", g / v, gc / vc, asked
        printf "where the time of the processors goes, in nvcc alone = 100\n"
        k = split(phases, p, " ")
        for (i = 1; i < k; i += 2) { s[p[i]] = p[i + 1]; all += p[i + 1] }
        split("compile link cases judge sandbox grader", order, " ")
        split("the compiler in the sandbox|linking|the cases, on the virtual GPU|judges|starting and watching sandboxes|the grader for each submission", says, "|")
        for (i = 1; i <= 6; i++) printf "  %-36s %8.1f\n", says[i], s[order[i]] / vc * 100
        printf "  %-36s %8.1f\n", "plan, gradebook, report", (gc - all) / vc * 100
    }'
