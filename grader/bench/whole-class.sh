#!/bin/bash
# A class as large as they come, with what a class has in common: STUDENTS students and a few kinds of submission a lab, so that
# identical ones are built and run once. What it tries is all that grows with the number of results: plan, gradebook, report, exports.
#
#   whole-class.sh [STUDENTS] [JOBS] [LABS] [SEED] [KEEP]    300 students, 2 at a time, the first 13 labs, seed 1; the results stay in KEEP
set -euo pipefail
cd "$(dirname "$0")/../.."
students=${1:-300}
jobs=${2:-2}
labs=${3:-$(cd solutions && ls -d -- */ | tr -d / | head -n 13 | tr '\n' ' ')}
RANDOM=${4:-1}
BUILD=${BUILD:-build}
work=${5:-$(mktemp -d)}
[ -n "${5:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"

. grader/bench/make-class.sh
make_class "$work" "$students" "$labs" 1 "" >"$work/kinds"

# "clock s, processor s, MiB" of a command of the grader.
measured() { # NAME COMMAND...
    local name=$1
    shift
    /usr/bin/time -f '%e %U %S %M' -o "$work/time" "$@" >"$work/stdout" 2>"$work/stderr" || [ $? -ne 2 ] || { cat "$work/stderr" >&2; exit 2; }
    tail -n 1 "$work/time" | awk -v name="$name" '{ printf "  %-28s %9.2f %13.2f %9.0f\n", name, $1, $2 + $3, $4 / 1024 }'
}
bytes_of() { # FILE...: the sum, in MiB
    cat "$@" | wc -c | awk '{ printf "%.1f MiB", $1 / 1048576 }'
}

grade="$BUILD/bin/grade"
echo "$students students, $(wc -w <<<"$labs") labs, $jobs at a time"
echo "                                clock s   processor s   peak MiB"
measured "grade run" "$grade" run --submissions "$work/slice0" --out "$work/out" --labs "${labs// /,}" --jobs "$jobs" --seed 1
measured "again: nothing is missing" "$grade" run --submissions "$work/slice0" --out "$work/out" --labs "${labs// /,}" --jobs "$jobs"
measured "grade report" "$grade" report --out "$work/out"
measured "grade status" "$grade" status --out "$work/out"
for format in json csv junit; do # canvas and moodle fill in a file that the system gave
    measured "export $format" "$grade" export --out "$work/out" --format $format --to "$work/export.$format"
done
pages=$(find "$work/out/report" -name '*.html' | wc -l)
largest=$(find "$work/out/report" -name '*.html' ! -name index.html -size +0 -printf '%s\n' | sort -n | tail -n 1)
echo "$(find "$work/out/results" -name result.json | wc -l) results, of which $(jq -r .verdict "$work"/out/results/*/*/result.json | grep -c kit-error || true) at the kit's fault"
echo "$pages pages; the class's has $(bytes_of "$work/out/report/index.html"), the largest other one $((largest / 1024)) KiB; gradebook $(bytes_of "$work/out/gradebook.db")"
