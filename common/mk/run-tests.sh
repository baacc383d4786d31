#!/bin/bash
# Runs test programs and scripts that print TAP; ends with "N passed, N failed, N skipped" and status 1 if any failed.
#
#   run-tests.sh TEST...       TEST is a file, or FILE@LAB: the file with LABS=LAB in its environment. JOBS tests at a time, as many as there are processors;
#                              TEST_SECONDS=1500 the limit of each; output in $BUILD/test-logs/
#   PATIENT="TEST..."          those of them that wait more than they work (for a cluster, a disk, a browser). They run one after the other beside the others,
#                              so that no processor has to wait with them.
#
# Each test has its line when it ends, with the number of those that are left. What took most processor time is listed at the end.
# A test program is a cmocka program (TAP by its environment) or a script named *.t. A test point is a line "ok ..." or "not ok ...";
# "ok ... # SKIP why" and "1..0 # SKIP why" are skips. A test that ends badly without a failed point is one failure.
set -u
BUILD=${BUILD:-build}
export BUILD KIT=${KIT:-$PWD} CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C.UTF-8
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
CUDA_HOME=$("$KIT/common/mk/cuda-home.sh") && export CUDA_HOME
logs=$BUILD/test-logs
rm -rf "$logs"
mkdir -p "$logs"

run_one() { # test -> log file; its last line is "# exit STATUS SECONDS USER SYSTEM"
    local test=${1%%@*} log start spent TIMEFORMAT='%U %S'
    log=$logs/$(echo "${1#"$BUILD"/}" | tr /@ __).log
    [ "$test" = "$1" ] || export LABS=${1#*@}
    start=$(date +%s)
    read -rd '' -a spent < <({ time timeout -k 10 "${TEST_SECONDS:-1500}" "./$test" >"$log" 2>&1 </dev/null; } 2>&1; echo $?)
    spent=("${spent[@]: -3}") # after what the shell may say of a signal
    echo "# exit ${spent[2]} $(($(date +%s) - start)) ${spent[0]} ${spent[1]}" >>"$log"
    count_one "$1" "$log"
}

count_one() { # prints "test passed failed skipped seconds processor"
    awk -v test="$1" '
        /^1\.\.0.*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
        /^ *ok .*# *[Ss][Kk][Ii][Pp]/  { skipped++; next }
        /^not ok [0-9]+ # SKIP /       { skipped++; next } # as cmocka says it
        /^ *not ok/ && /# *[Tt][Oo][Dd][Oo]/ { failed++; next }
        /^ *not ok/ { failed++; next }
        /^ *ok /    { passed++; next }
        /^1\.\.[0-9]+/ { planned += substr($0, 4) + 0 }
        /^# exit /  { status = $3; seconds = $4; processor = $5 + $6 }
        END {
            if (status != 0 && !failed) failed = 1
            if (planned && passed + failed + skipped < planned && !failed) failed = 1
            if (!passed && !failed && !skipped) failed = 1
            printf "%s %d %d %d %d %.1f\n", test, passed, failed, skipped, seconds, processor
        }' "$2"
}
export -f run_one count_one
export logs

# Tests share the processors with one another already: what grades does so one submission at a time.
export GRADE_JOBS=${GRADE_JOBS:-1}
lane() { # JOBS TEST...
    local jobs=$1
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c 'run_one {}'
}
patient=() busy=()
for test; do
    case " ${PATIENT:-} " in
    *" $test "*) patient+=("$test") ;;
    *) busy+=("$test") ;;
    esac
done

# A line for each test as it ends, and how many are left. (The shell reads them: awk may wait for a whole block.)
left=$#
tell() {
    local test passed failed skipped seconds
    while read -r test passed failed skipped seconds _; do
        left=$((left - 1))
        printf '%-6s %-66s %4d ok%s%s  %ds, %d left\n' "$([ "$failed" = 0 ] && echo ok || echo FAIL)" "$test" "$passed" \
            "$([ "$failed" = 0 ] || echo ", $failed failed")" "$([ "$skipped" = 0 ] || echo ", $skipped skipped")" "$seconds" $left
    done
}
{ lane 1 "${patient[@]}" & lane "${JOBS:-$(nproc)}" "${busy[@]}"; wait; } | tee "$logs/summary" | tell

while read -r test _ failed _; do
    [ "$failed" -eq 0 ] && continue
    echo
    echo "--- $test"
    tail -n 60 "$logs/$(echo "${test#"$BUILD"/}" | tr /@ __).log"
done <"$logs/summary"
# Why points were skipped, and in which tests.
cut -d' ' -f1 "$logs/summary" | while read -r test; do
    grep -hiE '^[^#]*ok .*# *skip|^1\.\.0.*# *skip' "$logs/$(echo "${test#"$BUILD"/}" | tr /@ __).log" | sed "s|.*# *[Ss][Kk][Ii][Pp] *|$test\t|"
done | sort | awk -F'\t' '{ n[$2]++; if ($1 != last[$2]) names[$2] = names[$2] " " $1; last[$2] = $1 } END { for (why in n) printf "%7d skipped: %s:%s\n", n[why], why, names[why] }' | sort -k2
cat "$logs"/*.log 2>/dev/null | awk '
    /^# left out: / { n = $4; sub(/^# left out: [0-9]* /, ""); all[$0] += n }
    END { for (what in all) printf "left out: %d %s\n", all[what], what; if (length(all)) print "(make test ALL=1 leaves nothing out)" }' | sort -r
echo "processor time, of the tests that took most:"
sort -k6,6nr "$logs/summary" | awk '
    NR <= 10 { printf "%7.1fs  %s\n", $6, $1 }
    { all += $6 }
    END { printf "%7.1fs  all %d tests\n", all, NR }'
awk '{ p += $2; f += $3; s += $4 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$logs/summary"
