#!/bin/bash
# grade run and its relatives, on small classes: what is found, what is refused, what is kept, and that the same goes in and
# comes out however often and with however many jobs it is done.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
tmp=$(mktemp -d /tmp/run-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
. grader/test/quick-kit.sh
make_lean_toolkit "$tmp/toolkit"
lab=02-vector-add

hand_in() { # STUDENT [SOURCE]
    mkdir -p "$tmp/class/$1/$lab"
    [ -z "$2" ] || cp "$2" "$tmp/class/$1/$lab/vector_add.cu"
}
hand_in s001 grader/test/attacks/right.cu
hand_in s002 grader/test/attacks/on-the-cpu.cu
hand_in s003 # an empty folder
mkdir -p "$tmp/class/s004"
hand_in s005 grader/test/attacks/own-main.cu
mkdir -p "$tmp/class/s001/no-such-lab" "$tmp/class/.git" "$tmp/class/-rf"
touch "$tmp/class/notes.txt"

status_of() {
    "$@" >"$tmp/stdout" 2>"$tmp/stderr"
    echo $?
}
fails() { # NAME STATUS TEXT COMMAND...
    local name=$1 wanted=$2 text=$3
    shift 3
    same "$name: status" "$wanted" "$(status_of "$@")"
    check "$name: says '$text'" grep -qF -- "$text" "$tmp/stderr"
}

# What needs no sandbox.
same "help" 0 "$(status_of "$grade" --help)"
for command in check run regrade status report export submit import doctor schema; do
    check "help lists $command" grep -q "^  grade $command" "$tmp/stdout"
done
fails "no such command" 2 "no command" "$grade" dance
fails "unknown option" 2 "unknown option --fast" "$grade" run --fast
fails "option without a value" 2 "--out needs a value" "$grade" run --out
fails "bad number" 2 "--jobs must be a whole number" "$grade" run --jobs many
fails "no submissions" 2 "--submissions and --out" "$grade" run --out "$tmp/x"
fails "no such folder" 2 "/no/such/class" "$grade" run --submissions /no/such/class --out "$tmp/x"
fails "no such executor" 2 "--executor must be" "$grade" run --submissions "$tmp/class" --out "$tmp/x" --executor cloud
fails "a task without its list" 2 "--executor slurm" "$grade" task --out "$tmp/x"
fails "no such device" 2 "--device must be" "$grade" run --submissions "$tmp/class" --out "$tmp/x" --device quantum
mkdir "$tmp/compilers" # and nothing else
for clang in $(compgen -c clang | sort -u); do ln -sf "$(command -v "$clang")" "$tmp/compilers/"; done
fails "no bubblewrap" 2 "apt install bubblewrap" env PATH="$tmp/compilers" "$grade" run --submissions "$tmp/class" --out "$tmp/x"
fails "a bubblewrap that fails" 2 "--allow-weak-sandbox" "$grade" run --submissions "$tmp/class" --out "$tmp/x" --bwrap /usr/bin/false
fails "no gradebook" 2 "no gradebook" "$grade" status --out "$tmp/x"
check "a refused run leaves nothing" test ! -e "$tmp/x"
fails "check what is no lab" 2 "lab.yaml" "$grade" check "$tmp/class"
fails "unknown case" 2 "no public case" "$grade" check labs/$lab --case dancing

# Submitting and importing.
mkdir -p "$tmp/archives"
check "submit" "$grade" submit labs/$lab --to "$tmp/archives/s006_$lab.tar.gz"
check "import" "$grade" import --submissions "$tmp/imported" "$tmp/archives/s006_$lab.tar.gz"
check "what comes out went in" cmp labs/$lab/vector_add.cu "$tmp/imported/s006/$lab/vector_add.cu"
echo garbage >"$tmp/archives/s007_$lab.tar.gz"
fails "import of garbage" 1 "s007" "$grade" import --submissions "$tmp/imported" "$tmp/archives/s007_$lab.tar.gz"

"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || { echo "ok $((++tap_n)) # SKIP bubblewrap does not work here"; tap_end; }

run() { # OUT ARGUMENTS...
    local out=$1
    shift
    "$grade" run --submissions "$tmp/class" --out "$out" --case one-block "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
verdicts() { # OUT
    for r in "$1"/results/*/*/result.json; do
        echo "$(basename "$(dirname "$(dirname "$r")")") $(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$r")"
    done
}
wanted="s001 pass
s002 no-gpu-work
s003 not-submitted
s004 not-submitted
s005 build-error"

run "$tmp/one" --seed 3 --jobs 1
same "a class: status" 1 $?
same "a class: verdicts" "$wanted" "$(verdicts "$tmp/one")"
check "a folder that is no fit name is said" grep -q "no fit name" "$tmp/stderr"
check "progress is a line a submission" grep -q '5/5' "$tmp/stderr"
check "where the processors' time went" jq -e '.processor_s | .compile > 0 and .cases > 0 and (.link + .judge + .sandbox + .grader) > 0' \
    "$tmp/one/results/s001/$lab/timing.json"
check "the table" grep -Eq '^s002 +no-gpu-work' "$tmp/stdout"
check "page" test -s "$tmp/one/report/index.html"
check "gradebook" test -s "$tmp/one/gradebook.db"
same "status: 1, as some fall short" 1 "$(status_of "$grade" status --out "$tmp/one")"
same "status: 0, as these pass" 0 "$(status_of "$grade" status --out "$tmp/one" --students s001)"
same "the seed is the owner's" 600 "$(stat -c %a "$tmp/one/seed")"

run "$tmp/two" --seed 3 --jobs 3
results() { (cd "$1" && find results report -name '*.json' ! -name timing.json -o -name '*.html' | sort | xargs sha256sum); }
same "again, with more jobs: the same bytes" "$(results "$tmp/one")" "$(results "$tmp/two")"
"$grade" export --out "$tmp/one" --format csv --to "$tmp/one.csv"
"$grade" export --out "$tmp/two" --format csv >"$tmp/two.csv"
check "exports too" cmp "$tmp/one.csv" "$tmp/two.csv"
check "which say something" grep -q s002 "$tmp/one.csv"

cp grader/test/attacks/right.cu "$tmp/class/s004/"
hand_in s004 grader/test/attacks/right.cu
"$grade" regrade --submissions "$tmp/class" --out "$tmp/one" --case one-block --students s004 --accept >/dev/null 2>&1
same "regrade: status" 0 $?
same "regrade: verdicts" "${wanted/s004 not-submitted/s004 pass}" "$(verdicts "$tmp/one")"
check "regrade: table of all" bash -c "'$grade' status --out '$tmp/one' | grep -q '^s005 '"
fails "regrade of nothing" 2 "no earlier run" "$grade" regrade --submissions "$tmp/class" --out "$tmp/none" --students s004

run "$tmp/random1" --students s001
run "$tmp/random2" --students s001
check "a seed is drawn where none is given" bash -c "! cmp -s '$tmp/random1/seed' '$tmp/random2/seed'"
kept=$(cat "$tmp/random1/seed")
run "$tmp/random1" --students s001
same "and kept" "$kept" "$(cat "$tmp/random1/seed")"

run "$tmp/weak" --seed 3 --students s001 --bwrap /usr/bin/false --allow-weak-sandbox
same "weak by name: status" 0 $?
check "weak by name: marked in the result" grep -q '"weak"' "$tmp/weak/results/s001/$lab/result.json"
same "weak by name: verdict" "s001 pass" "$(verdicts "$tmp/weak")"

make_kit_copy "$tmp/broken" $lab
printf '#!/bin/sh\necho "vgpu: no such library" >&2\nexit 127\n' >"$tmp/broken/build/bin/vgpu"
chmod 755 "$tmp/broken/build/bin/vgpu"
"$grade" run --submissions "$tmp/class" --out "$tmp/lame" --seed 3 --students s001 --case one-block --bwrap /usr/bin/false --allow-weak-sandbox >"$tmp/stdout" 2>"$tmp/stderr"
check "a virtual GPU that cannot start says why" grep -q 'no record of calls; exit status 127: vgpu: no such library' "$tmp/lame/results/s001/$lab/result.json"
grade=$BUILD/bin/grade

# A student's own check, with and without bubblewrap.
mkdir -p "$tmp/kit/labs"
cp -r labs/$lab "$tmp/kit/labs/"
cp grader/test/attacks/right.cu "$tmp/kit/labs/$lab/vector_add.cu"
same "check: a right answer" 0 "$(status_of "$grade" check "$tmp/kit/labs/$lab" --case one-block)"
check "check: a line a case" grep -q '^right: one-block (1 of 1 cases)' "$tmp/stdout"
check "check: the score" grep -q '^Score: 8/8' "$tmp/stdout"
same "check without bubblewrap" 0 "$(status_of "$grade" check "$tmp/kit/labs/$lab" --case one-block --bwrap /usr/bin/false)"
cp grader/test/attacks/on-the-cpu.cu "$tmp/kit/labs/$lab/vector_add.cu"
same "check: a wrong answer" 1 "$(status_of "$grade" check "$tmp/kit/labs/$lab" --case one-block)"
check "check: why" grep -q 'no-gpu-work (0/8)' "$tmp/stdout"
check "check: what the case asks" grep -q '^TODO 1, one-block: 256 elements' "$tmp/stdout"

# A run that is interrupted ends its workers and removes its working folder.
mkdir "$tmp/scratch"
hand_in s008 grader/test/attacks/sleeper.cu
TMPDIR=$tmp/scratch "$grade" run --submissions "$tmp/class" --out "$tmp/stopped" --students s008 >/dev/null 2>"$tmp/stderr" &
pid=$!
sleep 3
kill -TERM $pid
wait $pid
same "interrupted: status" 2 $?
same "interrupted: nothing is left" "" "$(ls "$tmp/scratch")"

# Killed for good, the run takes its sandboxes with it.
"$grade" run --submissions "$tmp/class" --out "$tmp/killed" --students s008 >/dev/null 2>&1 &
pid=$!
sleep 3
kill -KILL $pid
wait $pid 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
    pgrep -f "$tmp/[k]illed" >/dev/null || break
    sleep 0.3
done
check "killed: no worker is left" bash -c "! pgrep -f '$tmp/[k]illed'"

# The same by an ordinary user, who can read the kit.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups test -x "$grade" 2>/dev/null; then
    mkdir -m 777 "$tmp/user"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$grade" run --submissions "$tmp/class" --out "$tmp/user/out" --seed 3 \
        --case one-block --students s001,s002 >"$tmp/stdout" 2>"$tmp/stderr"
    same "an ordinary user: status" 1 $?
    same "an ordinary user: verdicts" "s001 pass
s002 no-gpu-work" "$(verdicts "$tmp/user/out")"
    check "an ordinary user: bubblewrap is used" grep -q '"bubblewrap"' "$tmp/user/out/results/s001/$lab/result.json"
else
    echo "ok $((++tap_n)) # SKIP not root, or the kit cannot be read by others: no second user to try"
fi

# The benchmark of a class: of two students in one lab it has a figure for each phase.
check "the benchmark of a class" bash -c "BUILD='$BUILD' grader/bench/class.sh 2 2 01-indexing >'$tmp/bench'"
same "the benchmark: its figures" 10 "$(grep -cE '^  .* [0-9]+\.[0-9]' "$tmp/bench")"
tap_end
