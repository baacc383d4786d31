# TAP for shell tests: `. grader/test/tap.sh`, checks, then `tap_end`. Source it from the kit's root.
tap_n=0
tap_failed=0

# check NAME COMMAND...: passes when the command does; its output is shown when it does not.
check() {
    local name=$1 out
    shift
    tap_n=$((tap_n + 1))
    if out=$("$@" 2>&1); then
        echo "ok $tap_n - $name"
    else
        tap_failed=1
        echo "not ok $tap_n - $name"
        sed 's/^/#   /' <<<"$out" | head -40
    fi
}

# skip NAME WHY
skip() {
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1 # SKIP $2"
}

# same NAME WANTED GOT
same() {
    if [ "$2" == "$3" ]; then
        check "$1" true
    else
        check "$1" diff <(printf '%s\n' "$2") <(printf '%s\n' "$3")
    fi
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

tap_end() {
    echo "1..$tap_n"
    exit $tap_failed
}
