#!/bin/bash
# The test runner itself: what fails must count as failed, a skip as skipped, silence as failed.
set -u
cd "$(mktemp -d)" || exit 2
trap 'rm -rf "$PWD"' EXIT
runner=$KIT/common/mk/run-tests.sh
n=0
script() { # name, body
    printf '#!/bin/bash\n%s\n' "$2" >"$1.t"
    chmod +x "$1.t"
}
expect() { # what, the last line wanted, status wanted, tests...
    local what=$1 wanted=$2 status=$3 got
    shift 3
    n=$((n + 1))
    got=$(BUILD=out TEST_SECONDS=2 "$runner" "$@")
    local rc=$?
    if [ "$(tail -n 1 <<<"$got")" = "$wanted" ] && [ $rc -eq "$status" ]; then
        echo "ok $n - $what"
    else
        printf 'not ok %d - %s\n' "$n" "$what"
        printf '# status %d, last line: %s\n' $rc "$(tail -n 1 <<<"$got")"
    fi
}
script good 'echo "ok 1 - a"; echo "ok 2 - b"; echo 1..2'
script bad 'echo "ok 1 - a"; echo "not ok 2 - b"; echo 1..2; exit 1'
script crash 'echo "ok 1 - a"; kill -SEGV $$'
script quiet 'exit 0'
script short 'echo 1..3; echo "ok 1 - a"'
script skips 'echo "ok 1 - a # SKIP no such thing here"; echo "ok 2 - b"; echo 1..2'
script cmocka_skips 'echo "ok 1 - a"; echo "not ok 2 # SKIP b"; echo 1..2'
script skip_all 'echo "1..0 # SKIP no GPU"'
script slow 'echo "ok 1 - a"; sleep 30'
expect "a passing test" "2 passed, 0 failed, 0 skipped" 0 good.t
expect "a failing point" "1 passed, 1 failed, 0 skipped" 1 bad.t
expect "a crash is a failure" "1 passed, 1 failed, 0 skipped" 1 crash.t
expect "a test without points is a failure" "0 passed, 1 failed, 0 skipped" 1 quiet.t
expect "fewer points than planned is a failure" "1 passed, 1 failed, 0 skipped" 1 short.t
expect "a skip is neither" "1 passed, 0 failed, 1 skipped" 0 skips.t
expect "as cmocka writes it neither" "1 passed, 0 failed, 1 skipped" 0 cmocka_skips.t
script crash_in_skip 'echo "not ok 1 - b # skip"; echo 1..1; exit 1'
expect "a failure that only speaks of skipping is one" "0 passed, 1 failed, 0 skipped" 1 crash_in_skip.t
expect "a test skipped whole" "0 passed, 0 failed, 1 skipped" 0 skip_all.t
expect "a test over its time is a failure" "1 passed, 1 failed, 0 skipped" 1 slow.t
script labs '[ "$LABS" = 02-b ] && echo "ok 1 - a" || echo "not ok 1 - a"'
expect "a test of one lab" "1 passed, 0 failed, 0 skipped" 0 labs.t@02-b
expect "and of another" "0 passed, 1 failed, 0 skipped" 1 labs.t@03-c
cp good.t good2.t
expect "sums" "6 passed, 1 failed, 1 skipped" 1 good.t bad.t skips.t good2.t
n=$((n + 1))
got=$(BUILD=out "$runner" skips.t skip_all.t good.t good2.t | grep ' skipped: ' | tr -s ' ')
if [ "$got" = " 1 skipped: no GPU: skip_all.t
 1 skipped: no such thing here: skips.t" ]; then echo "ok $n - why points were skipped, and in which tests"; else
    echo "not ok $n - why points were skipped, and in which tests"
    printf '# %s\n' "$got"
fi
# What has ended is told while others still run: the second test waits for the line of the first.
script sees 'for i in {1..80}; do grep -q "^ok *good.t *2 ok  [0-9]*s, 1 left$" told && { echo "ok 1 - a"; exit; }; sleep 0.1; done; echo "not ok 1 - a"'
BUILD=out JOBS=1 TEST_SECONDS=20 "$runner" good.t sees.t >told
n=$((n + 1))
if grep -q '^ok *sees.t *1 ok  [0-9]*s, 0 left$' told; then echo "ok $n - a line for a test as it ends, with what is left"; else
    echo "not ok $n - a line for a test as it ends, with what is left"
    sed 's/^/# /' told
fi
# What tests leave out is added up; where nothing is, nothing is said.
script half 'echo "ok 1 - a"; echo "# left out: 3 labs"; echo "# left out: 2 seeds"'
script rest 'echo "ok 1 - a"; echo "# left out: 4 labs"'
n=$((n + 1))
got=$(BUILD=out "$runner" half.t rest.t good.t | grep 'left out: \|leaves' | paste -sd '|')
got+=$(BUILD=out "$runner" good.t | grep 'left out: \|leaves')
if [ "$got" = "left out: 7 labs|left out: 2 seeds|(make test ALL=1 leaves nothing out)" ]; then echo "ok $n - what is left out"; else
    echo "not ok $n - what is left out"
    echo "# $got"
fi
# What took most processor time stands first, whatever the order in which they ran; children count.
script burns 'for i in {1..150000}; do :; done; echo "ok 1 - a"'
script child 'bash ./burns.t >/dev/null; bash ./burns.t'
n=$((n + 1))
got=$(BUILD=out TEST_SECONDS=60 "$runner" good.t child.t burns.t | sed -n '/^processor time/,$p' | awk '{ print $NF }' | tr '\n' ' ')
if [ "$got" = "most: child.t burns.t good.t tests skipped " ]; then echo "ok $n - what took most processor time"; else
    echo "not ok $n - what took most processor time"
    echo "# $got"
fi
echo "1..$n"
