#!/bin/bash
# The corpus of hostile submissions: each gets the verdict that its first line says, ordinary submissions among them come to the
# same bytes as without them, and nothing of them is left on the machine.
#
#   bash grader/test/attacks.t [NAME...]     only these of grader/test/attacks/, without the parts that need all
#
# They are graded by a copy of the kit whose lab allows less time and memory and forbids two libraries. Where this runs as root, all of it
# has namespaces of its own, so that whatever is left (processes, files in shared places, queues) can be told from other programs'.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
if [ -z "$IN_NAMESPACES" ] && unshare -mipf --mount-proc mount -t tmpfs none /var/tmp 2>/dev/null; then
    IN_NAMESPACES=1 exec unshare -mipf --kill-child --mount-proc "$BASH" grader/test/attacks.t "$@"
fi

tmp=$(mktemp -d /tmp/attacks-test-XXXXXX)
chmod 711 "$tmp"
lean=
trap 'umount "$tmp/full" 2>/dev/null; rm -rf "$tmp" ${lean:+"$lean"}' EXIT
lab=02-vector-add
make_kit_copy "$tmp/kit" $lab
cp solutions/$lab/hidden.yaml "$tmp/kit/solutions/$lab/"
sed -i 's/^limits: .*/limits: {wall_s: 4, cpu_s: 4, memory_mib: 512}\ncompile_mib: 1536\nforbid:\n  - {include: "thrust\/*", why: the loop is what you learn here}\n  - {symbol: "cublas*", why: the loop is what you learn here}/' \
    "$tmp/kit/labs/$lab/lab.yaml"
# Submissions see the toolkit where it lies, and some look around in places that a sandbox leaves empty.
lean=$BUILD/attacks-toolkit-$$
[[ $lean =~ ^/(tmp|root|home|var)/ ]] || make_lean_toolkit "$lean"
mkdir "$tmp/scratch"
chmod 711 "$tmp/scratch"
export TMPDIR=$tmp/scratch
if [ -n "$IN_NAMESPACES" ]; then
    mount -t tmpfs none /dev/shm
    mount -t tmpfs none /var/tmp
fi

chosen=("${@/%/.cu}")
chosen=("${chosen[@]/#/grader/test/attacks/}")
[ $# -gt 0 ] || chosen=(grader/test/attacks/*.cu)

hand_in() { # CLASS STUDENT FILE
    mkdir -p "$tmp/$1/$2/$lab"
    cp "$3" "$tmp/$1/$2/$lab/vector_add.cu"
}
run() { # CLASS OUT ARGUMENTS...
    "$grade" run --submissions "$tmp/$1" --out "$tmp/$2" --seed 7 --jobs 2 "${@:3}" >"$tmp/$2.table" 2>"$tmp/$2.log"
}
result_of() { # OUT STUDENT
    echo "$tmp/$1/results/$2/$lab/result.json"
}
verdict_of() {
    sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$(result_of "$1" "$2")"
}
expectation() { # FILE WORD
    sed -n "s,^// $2: ,,p" "$1"
}
# What must not change: kit, submissions, and whose the machine's files are.
state_of_machine() {
    find "$tmp/kit" "$tmp/class" -printf '%p %M %u %s %T@ %l\n' | sort
    find / -xdev -path /proc -prune -o -path /tmp -prune -o -uid +63999 -uid -65000 -print 2>/dev/null
}

# Ordinary submissions, before, among and after the attackers in the order of names.
"$BUILD/bin/labtool" submissions $lab "$tmp/whole"
for class in quiet class; do
    hand_in $class aa-neighbour grader/test/attacks/right.cu
    hand_in $class mm-neighbour "$tmp/whole/broken/leak.cu"
    hand_in $class zz-neighbour "$tmp/whole/broken/writes-into-input.cu"
done
# A grader that was built with a sanitizer has the virtual GPU in the program's own process (docs/security.md), where these reach it, end
# the process above them, or are ended by the sanitizer; and many processes with a sanitizer's memory are too much before they are too slow.
reaches_own_process=" babbles-at-the-gpu crowd-of-spinners false-sizes forged-report kill-all kill-the-watcher looks-for-the-gpu memory-file-bomb memory-of-nobody pinned-and-dropped shrinks-shared-memory "
passed_over() { # NAME
    [ -n "${SAN:-}" ] && [[ $reaches_own_process == *" $1 "* ]]
}
for file in "${chosen[@]}"; do
    name=$(basename "$file" .cu)
    passed_over "$name" || hand_in class "$name" "$file"
done
sed -i '1i // Not the same bytes as another submission, so that it is graded for itself.' "$tmp"/{quiet,class}/aa-neighbour/$lab/vector_add.cu

run quiet quiet-out --case one-block
check "a run of ordinary submissions ends well" test $? -lt 2
before=$(state_of_machine)
run class out --case one-block
check "the run ends well" test $? -lt 2
left=$(ps -eo pid=,args= | grep -vE "^ *[0-9]+ ([^ ]*bash |ps |grep )")

for file in "${chosen[@]}"; do
    name=$(basename "$file" .cu)
    if passed_over "$name"; then
        skip "$name" "not in a process of its own under a sanitizer"
        continue
    fi
    wanted=$(command -v nvcc >/dev/null || expectation "$file" clang) # memory that nobody uses goes, a device is no source, there is no Thrust
    : "${wanted:=$(expectation "$file" expect)}"
    [ "$(verdict_of out "$name")" == "$wanted" ] ||
        sed -n '1,80p' "$(result_of out "$name")" | grep -E '"(message|log)"' | cut -c1-400 | sed 's/^/# /'
    same "$name: $wanted" "$wanted" "$(verdict_of out "$name")"
done
for name in aa-neighbour mm-neighbour zz-neighbour; do
    check "$name: the same bytes as without attackers" cmp "$(result_of quiet-out $name)" "$(result_of out $name)"
done
same "the neighbours are not all alike" 3 "$(for name in aa mm zz; do verdict_of out $name-neighbour; done | sort -u | wc -l)"

[ $# -eq 0 ] || tap_end

# What needs several cases, which share a sandbox: messages from one to the next, and answers for cases that are known.
for file in grader/test/attacks-over-cases/*.cu; do
    hand_in class2 "$(basename "$file" .cu)" "$file"
done
run class2 out2
check "a run of all cases ends well" test $? -lt 2
for file in grader/test/attacks-over-cases/*.cu; do
    name=$(basename "$file" .cu)
    result=$(result_of out2 "$name")
    wanted=$(expectation "$file" expect)
    case=$(expectation "$file" case)
    same "$name: no case finds anything" "" "$(jq -r '.cases[] | select(.message | test("found: ")) | .name + ": " + .message' "$result")"
    if [ -n "$case" ]; then
        same "$name: $wanted in $case" "$wanted" "$(jq -r --arg case "$case" '.cases[] | select(.name == $case) | .verdict' "$result")"
    else
        check "$name: $wanted in many cases" \
            test "$(jq --arg wanted "$wanted" '[.cases[] | select(.verdict == $wanted)] | length' "$result")" -gt 5
    fi
done
same "knowing the public cases wins no hidden one" 0 \
    "$(jq '[.cases[] | select(.visibility == "hidden" and .verdict == "pass")] | length' "$(result_of out2 knows-the-public-cases)")"

# A compiler that would never end, where the lab gives it two seconds. Nothing else is compiled under that limit.
cp -r "$tmp/kit" "$tmp/hasty-kit"
echo 'compile_s: 2' >>"$tmp/hasty-kit/labs/$lab/lab.yaml"
for file in grader/test/attacks-compiling/*.cu; do
    hand_in class3 "$(basename "$file" .cu)" "$file"
done
grade=$tmp/hasty-kit/build/bin/grade run class3 out3 --case one-block
check "a run with a short limit for compilers ends well" test $? -lt 2
for file in grader/test/attacks-compiling/*.cu; do
    name=$(basename "$file" .cu)
    same "$name: $(expectation "$file" expect)" "$(expectation "$file" expect)" "$(verdict_of out3 "$name")"
    check "$name: says which limit" grep -q 'compiler did not end within 2 seconds' "$(result_of out3 "$name")"
done

# A disk that is full is the machine's fault, never the student's; with room the same command goes on.
if [ -n "$IN_NAMESPACES" ]; then
    mkdir "$tmp/full"
    mount -t tmpfs -o size=64k none "$tmp/full"
    run quiet full/out --case one-block
    same "a full disk: status" 2 $?
    check "a full disk: nobody falls short" bash -c "! cat '$tmp'/full/out/results/*/*/result.json 2>/dev/null | grep '\"verdict\"' | grep -vE 'pass|kit-error|leak|input-modified'"
    mount -o remount,size=64m "$tmp/full"
    run quiet full/out --case one-block
    check "with room again: status" test $? -lt 2
    for name in aa-neighbour mm-neighbour zz-neighbour; do
        check "with room again: $name: the same bytes" cmp "$(result_of quiet-out $name)" "$(result_of full/out $name)"
    done
fi

if [ -n "$IN_NAMESPACES" ]; then
    same "no process of theirs is left" "" "$left"
    same "no file of theirs is left in shared places" "" "$(find /dev/shm /var/tmp "$tmp/scratch" -mindepth 1)"
    same "no queue, semaphore or shared memory of theirs is left" "" "$(ipcs -a | grep '^0x')"
else
    echo "ok $((++tap_n)) # SKIP no namespaces of our own to count processes and files in"
fi
same "kit and submissions are as before, and no file elsewhere is theirs" "$before" "$(state_of_machine)"
check "no control character and no broken byte in any result" \
    bash -c "! LC_ALL=C grep -rlP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\\\\u00(0[0-8bcef]|1|7f)|\\\\u202e' '$tmp/out/results' '$tmp/out.table' '$tmp/out.log'"
check "no script in any page" bash -c "! grep -rl '<script>alert' '$tmp/out/report'"
check "no line of the machine's own files" bash -c "! grep -rl 'root:x:0' '$tmp/out'"
tap_end
