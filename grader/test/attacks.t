#!/bin/bash
# The corpus of hostile submissions: each gets the verdict that its first line says, the right ones among them pass, and
# nothing of them is left on the machine.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
BUILD=${BUILD:-build}
grade=$(realpath "$BUILD")/bin/grade
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"

tmp=$(mktemp -d /tmp/attacks-test-XXXXXX)
trap 'rm -rf "$tmp"' EXIT
for file in grader/test/attacks/*.cu; do
    name=$(basename "$file" .cu)
    mkdir -p "$tmp/class/$name/02-vector-add"
    cp "$file" "$tmp/class/$name/02-vector-add/vector_add.cu"
done
for i in 1 2 3; do # neighbours, before, among and after the attackers in the order of names
    n=$(printf '%s\n' aa mm zz | sed -n ${i}p)-neighbour
    mkdir -p "$tmp/class/$n/02-vector-add"
    cp grader/test/attacks/right.cu "$tmp/class/$n/02-vector-add/vector_add.cu"
done

# In a pid namespace of its own, where it can be made, so that whatever is left over can be told from other programs.
own=()
unshare -pf --mount-proc true 2>/dev/null && own=(unshare -pf --mount-proc)
"${own[@]}" bash -c '"$1" run --submissions "$2/class" --out "$2/out" --seed 7 --case one-block --jobs 2 >"$2/table" 2>"$2/log"
    status=$?
    ps -eo pid=,args= | grep -vE "^ *[0-9]+ (bash -c|ps |grep )" >"$2/left"
    exit $status' bash "$grade" "$tmp"
same "the run ends well" 0 $?

verdict_of() {
    sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$tmp/out/results/$1/02-vector-add/result.json"
}
for file in grader/test/attacks/*.cu; do
    name=$(basename "$file" .cu)
    wanted=$(sed -n 's,^// expect: ,,p' "$file")
    [ "$(verdict_of "$name")" == "$wanted" ] ||
        sed -n '1,80p' "$tmp/out/results/$name/02-vector-add/result.json" | grep -E '"(message|log)"' | cut -c1-400 | sed 's/^/# /'
    same "$name: $wanted" "$wanted" "$(verdict_of "$name")"
done
for name in aa-neighbour mm-neighbour zz-neighbour; do
    same "$name" pass "$(verdict_of $name)"
done

# What needs several cases: messages from one to the next, which share a sandbox.
for file in grader/test/attacks-over-cases/*.cu; do
    name=$(basename "$file" .cu)
    mkdir -p "$tmp/class2/$name/02-vector-add"
    cp "$file" "$tmp/class2/$name/02-vector-add/vector_add.cu"
done
"$grade" run --submissions "$tmp/class2" --out "$tmp/out2" --seed 7 --jobs 2 >/dev/null 2>"$tmp/log2"
same "a run of all cases ends well" 0 $?
for file in grader/test/attacks-over-cases/*.cu; do
    name=$(basename "$file" .cu)
    result=$tmp/out2/results/$name/02-vector-add/result.json
    wanted=$(sed -n 's,^// expect: ,,p' "$file")
    same "$name: no case finds anything" "" "$(jq -r '.cases[] | select(.message | test("found: ")) | .name + ": " + .message' "$result")"
    check "$name: $wanted in many cases" \
        test "$(jq --arg wanted "$wanted" '[.cases[] | select(.verdict == $wanted)] | length' "$result")" -gt 5
done

if [ ${#own[@]} -gt 0 ]; then
    same "no process of theirs is left" "" "$(cat "$tmp/left")"
else
    echo "ok $((++tap_n)) # SKIP no pid namespace to count processes in"
fi
check "no control character and no broken byte in any result" \
    bash -c "! LC_ALL=C grep -rlP '[\x00-\x08\x0b-\x1f\x7f]|\\\\u00(0[0-8bcef]|1|7f)|\\\\u202e' '$tmp/out/results' '$tmp/table' '$tmp/log'"
check "no script in any page" bash -c "! grep -rl '<script>alert' '$tmp/out/report'"
check "no line of the machine's own files" bash -c "! grep -rl 'root:x:0' '$tmp/out'"
tap_end
