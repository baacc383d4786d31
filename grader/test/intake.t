#!/bin/bash
# Hostile archives and folders: each is refused, or taken without what is hostile about it, as its first line says; and nothing
# else is written, run or waited for. What is taken is built by a stand-in for the compiler (g++), as only the intake is judged.
#
# `expect:` is refused or taken for archives (taken: exactly the ordinary answer arrives, as student s001's), and for folders the
# verdict of the student whose name holds s001, or nothing when there must be no such student in the results, or run-refused.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
tmp=$(mktemp -d /tmp/intake-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
make_quick_kit "$tmp/kit" 02-vector-add
. grader/test/attacks-intake.sh
attacks=$(realpath grader/test/attacks-intake)
mkdir "$tmp/home"
canary=$tmp/home/canary
answer >"$canary"
cd "$tmp/home" || exit 1

# All that must stay as it is: kit, canary, and whatever stands beside what was asked for.
elsewhere() {
    find "$tmp/kit" "$tmp/home" "$tmp" -maxdepth 1 -printf '%p %M %s %l\n' | sort
    find "$tmp/kit" "$tmp/home" -type f -print0 | sort -z | xargs -0 sha256sum
}
was=$(elsewhere)

try_archive() { # NAME EXPECT
    local status files
    timeout 20 "$grade" import --submissions "$tmp/class" "$tmp/made"/* >"$tmp/log" 2>&1
    status=$?
    files=$(cd "$tmp/class" 2>/dev/null && find . -mindepth 1 ! -type d ! -path ./import-log.csv | sort)
    if [ "$2" == refused ]; then
        same "$1: refused" "1 and nothing is taken" "$status and ${files:-nothing is taken}"
    else
        same "$1: taken, and nothing else" "0 ./s001/$lab/vector_add.cu" "$status $files"
        check "$1: the answer" cmp <(answer) "$tmp/class/s001/$lab/vector_add.cu"
        check "$1: its time is the receipt's" test -n "$(find "$tmp/class/s001/$lab/vector_add.cu" -mmin -5)"
    fi
}

try_folders() { # NAME EXPECT
    local status
    if [ "$2" == run-refused ]; then
        "$grade" run --submissions "$tmp/made/class" --out "$tmp/out" --case one-block --seed 1 >"$tmp/table" 2>"$tmp/log"
        same "$1: the run is refused, and nobody graded" "2 and nobody" "$? and $(ls "$tmp/out/results" 2>/dev/null || echo nobody)"
        check "$1: the message says which two" bash -c "for name in '$tmp'/made/class/*; do grep -qF \"'\${name##*/}'\" '$tmp/log' || exit 1; done"
        return
    fi
    timeout 60 "$grade" run --submissions "$tmp/made/class" --out "$tmp/out" --case one-block --seed 1 >"$tmp/table" 2>"$tmp/log"
    status=$?
    "$grade" status --out "$tmp/out" >>"$tmp/table" 2>&1
    check "$1: the run ends well" test $status -lt 2
    same "$1: $2" "$2" "$(cd "$tmp/out/results" && sed -n 's/^  "verdict": "\(.*\)",$/\1/p' *s001*/$lab/result.json 2>/dev/null || echo nothing)"
    "$grade" export --out "$tmp/out" --format csv 2>>"$tmp/log" | tr -d '\r' >"$tmp/out.csv"
    check "$1: no cell of the export begins a formula" bash -c "[ -s '$tmp/out.csv' ] && ! grep -E '(^|,)\"?[=+@]' '$tmp/out.csv'"
    check "$1: no markup of its own in a page" bash -c "! grep -rE '<img src=x' '$tmp/out/report'"
    check "$1: no control character and no broken byte in tables" bash -c "! LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae|\xff' '$tmp/table' '$tmp/log' '$tmp/out.csv'"
}

bubblewrap=$("$grade" doctor 2>/dev/null | grep -c '^bubblewrap */')
for file in "$attacks"/*.sh; do
    attack=$(basename "$file" .sh)
    expect=$(sed -n 's/^# expect: //p' "$file")
    rm -rf "${tmp:?}"/{made,class,out,out.csv,log,table}
    mkdir "$tmp/made"
    to=$tmp/made
    (. "$file")
    if [ ! -d "$tmp/made/class" ]; then
        try_archive "$attack" "$expect"
    elif [ "$bubblewrap" -gt 0 ]; then
        try_folders "$attack" "$expect"
    else
        echo "ok $((++tap_n)) - $attack # SKIP bubblewrap does not work here"
        continue
    fi
    rm -rf "${tmp:?}"/{made,class,out,out.csv,log,table}
    same "$attack: nothing else has changed" "$was" "$(elsewhere)"
done

# The check itself: it sees what it must see.
touch "$tmp/home/new"
check "a file elsewhere would be seen" test "$was" != "$(elsewhere)"
tap_end
