#!/bin/bash
# Every fuzz target of a bundle (`make fuzz-bundle`) side by side, for some minutes on some processors.
#
#   fuzz-all MINUTES CORES OUT [TARGET...]      ends half a minute sooner, so that what it found is there when the time is over
#
#   OUT/summary.txt        a line a target: runs, edges covered, inputs kept, processor minutes (once it has ended), what was found
#   OUT/TARGET.log         libFuzzer's own words, its end only
#   OUT/TARGET-crash-*     an input each that crashed, hung, leaked or made a sanitizer report: `gzip -d libfuzzer-TARGET.gz`, `libfuzzer-TARGET FILE` shows it
#   OUT/corpus.tar.gz      the inputs that reach something new; unpacked in the bundle's folder they are seeds of the next run
#
# Targets that are named share the processors evenly, each for the whole time. Of all of them, those that execute or parse kernels have
# three quarters of the processors for the whole time; the others take turns in the rest.
# Exit status: 0 when nothing was found, 1 otherwise, 2 when a target did not run at all.
set -uo pipefail
[ $# -ge 3 ] || { echo "usage: fuzz-all MINUTES CORES OUT [TARGET...]" >&2; exit 2; }
minutes=$1 cores=$2
mkdir -p "$3" && out=$(realpath "$3") || exit 2
shift 3
cd "$(dirname "$0")" || exit 2
targets=("$@")
if [ $# -eq 0 ]; then
    for program in libfuzzer-*.gz; do
        program=${program#libfuzzer-}
        targets+=("${program%.gz}")
    done
fi
# The heavy targets run all the time; the others take turns in a quarter of the processors.
heavy=("$@") light=()
for target in "${targets[@]}"; do
    [ $# -eq 0 ] || break
    case $target in exec | remote | ptx) heavy+=("$target") ;; *) light+=("$target") ;; esac
done
seconds=$((minutes * 60 - 30))
readonly SLACK=10 # after which a target that should have ended is killed: it may be in the middle of an input
lanes=0
if [ ${#light[@]} -gt 0 ]; then
    lanes=$((${#heavy[@]} > 0 ? cores / 4 : cores))
    lanes=$((lanes < 1 ? 1 : lanes > ${#light[@]} ? ${#light[@]} : lanes))
    turns=$(((${#light[@]} + lanes - 1) / lanes))
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
fuzz() { # TARGET PROCESSES SECONDS
    gzip -dc "libfuzzer-$1.gz" >"$work/libfuzzer-$1" && chmod +x "$work/libfuzzer-$1" || return
    mkdir -p "$work/$1" "seeds/$1"
    TIMEFORMAT='%U %S'
    { time timeout -k 1 $(($3 + SLACK)) nice -n 19 "$work/libfuzzer-$1" -fork="$2" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$3" -timeout=20 \
        -rss_limit_mb=4096 -max_len=16384 -artifact_prefix="$out/$1-" "$work/$1" "seeds/$1" >"$work/$1.log" 2>&1 </dev/null; } 2>"$work/$1.time"
}
summary() {
    local target last found kept spent
    for target in "${targets[@]}"; do
        [ ! -e "$work/$target.log" ] || tail -c 200000 "$work/$target.log" >"$out/$target.log"
        last=$(grep -aE '^#[0-9]+: cov:' "$work/$target.log" 2>/dev/null | tail -n 1)
        found=$(find "$out" -maxdepth 1 -type f \( -name "$target-crash-*" -o -name "$target-leak-*" -o -name "$target-timeout-*" -o -name "$target-oom-*" \) | wc -l)
        kept=$(find "$work/$target" -type f 2>/dev/null | wc -l)
        spent=$(awk '{ printf ", %.1f processor minutes", ($1 + $2) / 60 }' "$work/$target.time" 2>/dev/null)
        echo "$target: ${last:-did not run}, $kept inputs kept$spent, $found found"
    done
}
watch() { # while it runs, too: somebody may end it
    local nap
    trap 'kill $nap; exit' TERM
    while :; do
        sleep 30 &
        nap=$!
        wait $nap
        summary >"$out/summary.new" && mv "$out/summary.new" "$out/summary.txt"
    done
}
lane() { # INDEX: every so-manieth of the light targets
    local i each=$((seconds / turns - SLACK))
    for ((i = $1; i < ${#light[@]}; i += lanes)); do fuzz "${light[i]}" 1 $((each < 5 ? 5 : each)); done
}
for ((i = 0; i < ${#heavy[@]}; i++)); do
    share=$(((cores - lanes + i) / ${#heavy[@]}))
    fuzz "${heavy[i]}" $((share < 1 ? 1 : share)) "$seconds" &
done
for ((i = 0; i < lanes; i++)); do lane "$i" & done
running=$(jobs -p)
watch &
watcher=$!
# shellcheck disable=SC2086
wait $running
kill $watcher
wait $watcher

summary >"$out/summary.txt"
cat "$out/summary.txt"
(cd "$work" && mkdir -p seeds && for target in "${targets[@]}"; do mv "$target" seeds/; done && tar -czf "$out/corpus.tar.gz" seeds)
grep -q 'did not run' "$out/summary.txt" && exit 2
grep -qv ', 0 found$' "$out/summary.txt" && exit 1
exit 0
