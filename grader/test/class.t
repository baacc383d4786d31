#!/bin/bash
# Whole classes: a run that is killed at any moment goes on where it was and comes to the same bytes; what changed since the plan
# is told; identical submissions are graded once; a regrade shows before it counts.
#
# The class is graded by a copy of the kit whose compiler is g++ on plain C++, so that a run takes a second and can be killed
# often: what is judged here is the book-keeping. Kills come at moments drawn from a seed.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
. grader/test/readers.sh
BUILD=$(realpath "${BUILD:-build}")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
tmp=$(mktemp -d /tmp/class-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
kills=${KILLS:-50}

kit=$tmp/kit
make_quick_kit "$kit" $lab

# The class: answers worked out on the CPU, right and wrong; build errors; nothing; and some that are the same.
hand_in() { # STUDENT EXPRESSION
    hand_in_sum "$tmp/class/$1/$lab/vector_add.cu" "$2"
}
hand_in s001 "a[i] + b[i]"
hand_in s002 "a[i] - b[i]"
hand_in s003 "a[i] + "
mkdir -p "$tmp/class/s004"
hand_in s005 "a[i] + b[i]"
hand_in s006 "b[i] + a[i]"
hand_in s007 "a[i] - b[i]"
hand_in s008 "0"
hand_in s009 "a[i + 1]"
hand_in s010 "undeclared"

run() { # OUT ARGUMENTS...
    local out=$1
    shift
    "$grade" run --submissions "$tmp/class" --out "$out" --case one-block --seed 5 --jobs 2 "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
bytes() { # OUT: the hashes of its results and exports
    (cd "$1" && find results report -name result.json -o -name '*.html' | sort | xargs sha256sum)
    local format
    for format in json csv cases-csv junit markdown; do
        echo "$format $("$grade" export --out "$1" --format $format | sha256sum)"
    done
}
verdict_of() { # OUT STUDENT
    sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$1/results/$2/$lab/result.json"
}

start_us=${EPOCHREALTIME/./}
run "$tmp/whole"
same "an undisturbed run: status" 1 $?
span_ms=$(((${EPOCHREALTIME/./} - start_us) / 1000)) # kills fall into it
[ $span_ms -lt 1500 ] || span_ms=1500
same "it grades" "no-gpu-work wrong-result build-error not-submitted no-gpu-work" \
    "$(for s in s001 s002 s003 s004 s005; do verdict_of "$tmp/whole" $s; done | xargs)"
wanted=$(bytes "$tmp/whole")
same "the plan is the owner's" "600 600" "$(stat -c %a "$tmp/whole/plan.json" "$tmp/whole/seed" | xargs)"
same "identical ones are graded once" 2 "$(grep -c 'as an identical one' "$tmp/stderr")"
check "progress tells rate and failures" grep -q 'a minute, .*fell short)' "$tmp/stderr"

run "$tmp/apart" --no-sharing --jobs 1
same "each for itself: none is shared" 0 "$(grep -c 'as an identical one' "$tmp/stderr")"
same "each for itself: the same bytes" "$wanted" "$(bytes "$tmp/apart")"

# Every export is taken by a reader of its format, which refuses it when one thing in it is broken.
refuses() {
    ! "$@"
}
accepted() { # FORMAT SED-SCRIPT ARGUMENTS...
    local format=$1 broken=$2
    shift 2
    "$grade" export --out "$tmp/whole" --format "$format" --to "$tmp/export" "$@"
    check "export $format $*: accepted" "reads_$format" "$tmp/export"
    sed "$broken" "$tmp/export" >"$tmp/export-broken"
    check "export $format $*: broken, it is refused" refuses "reads_$format" "$tmp/export-broken"
}
accepted json 's/"score": 0/"score": "none"/'
accepted csv '3s/,0,/,zero,/'
{
    printf 'Student,ID,SIS User ID,SIS Login ID,Section,%s (77)\r\nPoints Possible,,,,,8\r\n' $lab
    for s in "$tmp"/class/*/; do printf '%s,,,%s,A,\r\n' "$(basename "$s")" "$(basename "$s")"; done
} >"$tmp/gradebook.csv"
accepted canvas '2s/Points Possible/Points/' --from "$tmp/gradebook.csv"
if command -v xmllint >/dev/null; then
    accepted junit '0,/ failures="[0-9]*"/s///'
else
    echo "ok $((++tap_n)) # SKIP no xmllint to read JUnit's XML with"
fi
for student in s001 s003 s004; do
    accepted gradescope 's/"status": "failed"/"status": "bad"/' --students $student
    accepted prairielearn 's/"score": [0-9.]*/"score": 1.5/' --students $student
    accepted autolab '$s/"scores"/"score"/' --students $student
done

# Policy, extensions, adjustments and comments: in a copy of the gradebook, so that what follows does not see them.
cp -r "$tmp/whole" "$tmp/book"
book() { # COMMAND ARGUMENTS...
    local command=$1
    shift
    "$grade" "$command" --out "$tmp/book" "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
said=(--by ta1 --why 'as agreed' --at 2026-10-14T09:00:00+02:00)
cat >"$tmp/policy.yaml" <<END
schema: 1
due: {$lab: 2026-10-12T00:00:00+02:00}
late: {deduct: 10}
END
printf '%s\r\n' student,lab,received,late "s002,$lab,2026-10-12T21:00:00Z," "s001,$lab,,yes" >"$tmp/class/receipts.csv"
book policy --from "$tmp/policy.yaml" "${said[@]}"
same "policy: status" 0 $?
run "$tmp/book"
rm "$tmp/class/receipts.csv"
points_of() { # STUDENT: verdict, score, points that count, seconds late
    "$grade" export --out "$tmp/book" --format csv | tr -d '\r' | awk -F, -v s="$1" '$1 == s { print $3, $4, $11, $14 }'
}
same "policy: without a time nobody is late" "build-error 0 0 0" "$(points_of s003)"
wrong=$(points_of s002 | cut -d' ' -f2)
same "policy: the receipt is known" 82800 "$(points_of s002 | cut -d' ' -f4)"
book adjust --students s002,s003 --labs $lab --points 4.5 "${said[@]}"
same "adjust: status" 0 $?
same "adjust: a line each" 2 "$(grep -c 'adjust: +4.5 points: as agreed' "$tmp/stdout")"
same "adjust: it counts" "build-error 0 4.5 0" "$(points_of s003)"
book comment --students s002 --labs $lab --text $'=1+1 <script>alert(1)</script>\n\e[31mred' --by 'ta1'
same "comment: status" 0 $?
book comment --students s002 --labs $lab --text 'NOT FOR STUDENTS' --private --by 'ta1'
book extend --students s001 --until 2026-10-20T00:00:00Z "${said[@]}"
same "extend: status" 0 $?
for format in json csv junit gradescope autolab prairielearn student; do
    "$grade" export --out "$tmp/book" --format $format --students s002 --labs $lab --to "$tmp/export"
    check "points, lateness, adjustment and comment: $format" grep -Eq '4\.5 points: as agreed|"reason": "as agreed"' "$tmp/export"
    case $format in json | csv) ;; *) check "nothing that is not for the student: $format" refuses grep -q 'NOT FOR' "$tmp/export" ;; esac
    case $format in student) ;; *) check "still of its format: $format" "reads_$format" "$tmp/export" ;; esac
    check "no escape sequence: $format" refuses grep -q $'\e' "$tmp/export"
done
book report
check "report: the page says why" grep -q 'adjusted by +4.5 points: as agreed' "$tmp/book/report/s002/$lab.html"
check "report: text stays text" grep -q '=1+1 &lt;script&gt;' "$tmp/book/report/s002/$lab.html"
book leaderboard --names
same "leaderboard: no lab ranks, and no page" "2 1 0" \
    "$? $(grep -c 'no lab of these results ranks' "$tmp/stderr") $(find "$tmp/book" -name 'leaderboard*' | wc -l)"
book withdraw --change 2 "${said[@]}"
same "withdraw: status" 0 $?
same "withdraw: it no longer counts" "$wrong" "$(points_of s002 | cut -d' ' -f3)"
book log --students s002
same "log: in order, with time, name and reason" "1 2 4 5 7" "$(cut -d' ' -f1 "$tmp/stdout" | xargs)"
check "log: the withdrawn line stays" grep -q '^2  2026-10-14T07:00:00Z  ta1  s002 .* as agreed  (withdrawn)$' "$tmp/stdout"
before=$("$grade" log --out "$tmp/book" | sha256sum)
bad() { # WORDS COMMAND ARGUMENTS...
    local words=$1
    shift
    book "$@"
    same "refused: $*" "2 1" "$? $(grep -cF -- "$words" "$tmp/stderr")"
}
bad 'there is no student s999' adjust --students s002,s999 --labs $lab --points 1 "${said[@]}"
bad '--by must be given' adjust --students s002 --labs $lab --points 1 --why x
bad '--why must be given' adjust --students s002 --labs $lab --points 1 --by x
bad 'must be a number' adjust --students s002 --labs $lab --points nan "${said[@]}"
bad 'either --points or --score' adjust --students s002 --labs $lab "${said[@]}"
bad 'distance from UTC' extend --students s002 --until 2026-10-20T00:00:00 "${said[@]}"
bad 'no change 77' withdraw --change 77 "${said[@]}"
echo 'schemata: 1' >"$tmp/policy.yaml"
bad "is no key" policy --from "$tmp/policy.yaml" "${said[@]}"
printf 'schema: 1\ndue: {77-none: 2026-10-20T00:00:00Z}\n' >"$tmp/policy.yaml"
bad 'does not have: 77-none' policy --from "$tmp/policy.yaml" "${said[@]}"
same "refused: nothing is in the log" "$before" "$("$grade" log --out "$tmp/book" | sha256sum)"
rm -rf "$tmp/book"

# Killed at moments drawn from a seed, and started again by the same command; after an end a new run begins.
RANDOM=20
n_finished=0
n_broken=0
states=
for ((i = 0; i < kills; i++)); do
    setsid "$grade" run --submissions "$tmp/class" --out "$tmp/killed" --case one-block --seed 5 --jobs 2 >/dev/null 2>"$tmp/stderr" &
    pid=$!
    ms=$((RANDOM * span_ms / 32768))
    sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$?
    states+=" $(find "$tmp/killed" -name key 2>/dev/null | wc -l)"
    if [ $status -eq 1 ]; then
        n_finished=$((n_finished + 1))
        [ "$(bytes "$tmp/killed")" == "$wanted" ] || n_broken=$((n_broken + 1))
        rm -rf "$tmp/killed"
    elif [ $status -ne 137 ]; then
        n_broken=$((n_broken + 1))
        sed 's/^/# /' "$tmp/stderr"
    fi
done
echo "# $n_finished of $kills came to their end before the kill; results there after each:$states"
same "$kills kills: no run refuses to go on or comes to other bytes" 0 $n_broken
mkdir -p "$tmp/killed/report"
touch "$tmp/killed/plan.json.tmp-aBc123" "$tmp/killed/report/index.html.tmp-aBc123"
run "$tmp/killed"
same "then the class is finished: status" 1 $?
same "and has the bytes of an undisturbed run" "$wanted" "$(bytes "$tmp/killed")"
check "and nothing half written" bash -c "! find '$tmp/killed' -name '*.tmp-*' | grep -q ."
stamp=$(stat -c '%n %Y %i' "$tmp"/killed/results/*/*/result.json)
run "$tmp/killed"
same "once more: nothing is graded" "$stamp" "$(stat -c '%n %Y %i' "$tmp"/killed/results/*/*/result.json)"
check "once more: which is said" grep -q 'all 10 results are there from before' "$tmp/stderr"

# A result that was tampered with does not count.
echo '{}' >"$tmp/killed/results/s002/$lab/result.json"
run "$tmp/killed"
same "an edited result is made again" "$wanted" "$(bytes "$tmp/killed")"

# Changes since the plan.
hand_in s008 "a[i] + b[i]"
run "$tmp/killed"
same "handed in again: status" 1 $?
check "handed in again: told" grep -q "^  s008 $lab" "$tmp/stderr"
same "handed in again: graded" no-gpu-work "$(verdict_of "$tmp/killed" s008)"
same "handed in again: alone" 1 "$(grep -c '^\[' "$tmp/stderr")"
"$grade" status --out "$tmp/killed" >"$tmp/stdout"
check "status: how far it is" grep -q '^graded 10 of 10' "$tmp/stdout"

before=$(bytes "$tmp/killed")
hand_in s008 "a[i] * b[i]"
sed -i 's/^    points: 8$/    points: 6/; s/^    points: 5$/    points: 6/' "$kit/labs/$lab/lab.yaml"
run "$tmp/killed"
same "a changed lab: refused" 2 $?
check "a changed lab: nothing is said to be graded again" bash -c "! grep -q 'graded again' '$tmp/stderr'"
check "a changed lab: named" grep -q "^  the lab $lab" "$tmp/stderr"
same "a changed lab: nothing is touched" "$before" "$(bytes "$tmp/killed")"
run "$tmp/killed" --jobs 1 --again
same "--again: status" 1 $?
check "--again: the new points" grep -q '"max_score": 6' "$tmp/killed/results/s001/$lab/result.json"

# A regrade shows what changes, and only --accept lets it count.
regrade() {
    "$grade" regrade --submissions "$tmp/class" --out "$tmp/whole" --case one-block --jobs 2 "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
hand_in s008 "0"
hand_in s009 "a[i] + b[i]"
regrade --labs $lab
same "regrade: status" 1 $?
check "regrade: for whom" grep -q "^s009 $lab: wrong-result 0/8 -> no-gpu-work 0/6" "$tmp/stdout"
check "regrade: which case" grep -q '^    one-block: wrong-result 0/8 -> no-gpu-work 0/6' "$tmp/stdout"
check "regrade: how many" grep -q '^10 of 10 results change: 0 to more points, 0 to fewer' "$tmp/stdout"
same "regrade: nothing counts yet" "$wanted" "$(bytes "$tmp/whole")"
hand_in s009 "b[i] + a[i]"
regrade --labs $lab --accept
same "regrade: what was not shown is not accepted" 2 $?
check "regrade: which is said" grep -q 'not what the last regrade showed' "$tmp/stderr"
hand_in s009 "a[i] + b[i]"
regrade --labs $lab --accept
same "regrade: accepted" 1 $?
same "regrade: the folder has gone" "" "$(ls -d "$tmp/whole/regrade" 2>/dev/null)"
same "regrade: now it counts" no-gpu-work "$(verdict_of "$tmp/whole" s009)"
check "regrade: in exports too" bash -c "'$grade' export --out '$tmp/whole' --format csv | grep -q '^s009,$lab,no-gpu-work,0,6'"
if command -v sqlite3 >/dev/null; then
    same "regrade: the earlier result stays" "wrong-result no-gpu-work" "$(sqlite3 "$tmp/whole/gradebook.db" \
    "SELECT r.verdict FROM results r JOIN submissions s ON s.id = r.submission WHERE s.student = 's009' ORDER BY r.id" | xargs)"
else
    echo "ok $((++tap_n)) # SKIP no sqlite3 to look into the gradebook with"
fi
run "$tmp/whole"
same "regrade: the next run goes on from it" 1 $?
check "regrade: with nothing to do" grep -q 'all 10 results are there' "$tmp/stderr"

# Two graders in one folder, and Ctrl-C.
(
    flock -x 9
    sleep 8
) 9>"$tmp/whole/lock" &
holder=$!
sleep 0.2
"$grade" status --out "$tmp/whole" >"$tmp/stdout"
check "status from elsewhere: a grader is at work" grep -q 'a grader is at work' "$tmp/stdout"
run "$tmp/whole"
same "a second grader is refused" 2 $?
check "a second grader is told why" grep -q 'another grader is at work' "$tmp/stderr"
kill $holder 2>/dev/null
wait $holder 2>/dev/null
hand_in s010 "(*(volatile int *)&n, sleep(1), a[i])"
sed -i '1i #include <unistd.h>' "$tmp/class/s010/$lab/vector_add.cu"
"$grade" run --submissions "$tmp/class" --out "$tmp/stopped" --case one-block --seed 5 --jobs 1 >/dev/null 2>"$tmp/stderr" &
pid=$!
for _ in $(seq 900); do
    [ -e "$tmp/stopped/results/s008/$lab/key" ] && break
    sleep 0.1
done
kill -INT $pid 2>/dev/null
wait $pid
same "Ctrl-C: status" 2 $?
check "Ctrl-C: how far it was" grep -q 'stopped after 9 of 10 results' "$tmp/stderr"
same "Ctrl-C: what was graded stays" 9 "$(ls "$tmp"/stopped/results/*/*/key | wc -l)"

# A worker that dies takes one result with it, which is ungraded; the others go on, and the same command mends it.
hand_in s010 "(usleep(6000), b[i] + a[i])"
sed -i '1i #include <unistd.h>' "$tmp/class/s010/$lab/vector_add.cu"
"$grade" run --submissions "$tmp/class" --out "$tmp/worker" --case one-block --seed 5 --jobs 1 >/dev/null 2>"$tmp/stderr" &
pid=$!
for _ in $(seq 900); do
    [ -e "$tmp/worker/results/s008/$lab/key" ] && break
    sleep 0.1
done
sleep 0.3
kill -KILL $(pgrep -P $pid)
wait $pid
same "a dead worker: status" 2 $?
same "a dead worker: at the kit's fault, and ungraded" "kit-error 0" \
    "$(verdict_of "$tmp/worker" s010) $(sed -n 's/^  "score": \(.*\),$/\1/p' "$tmp/worker/results/s010/$lab/result.json")"
"$grade" status --out "$tmp/worker" >"$tmp/status"
check "a dead worker: status says ungraded" grep -q 'for a person: s010 .*(kit-error, ungraded)' "$tmp/status"
counted() { "$grade" export --out "$tmp/worker" --format "$1" --students s010 --labs $lab | tr -d '\r' | sed -n "s/$2/\1/p"; }
same "a dead worker: no points in exports" "none, ungraded" \
    "$(counted csv '^s010.*,kit-error,\(,\)[0-9.]*,.*' | sed 's/^,$/none/')$(counted csv '^s010.*\(,ungraded\)$' | sed 's/,/, /')"
same "a dead worker: a person decides" 0 \
    "$("$grade" adjust --out "$tmp/worker" --students s010 --labs $lab --score 5 --by ta1 --why "looked at it" >/dev/null; echo $?)"
same "a dead worker: what a person decided" "by-hand" "$(counted csv '^s010.*,\(by-hand\)$')"
same "a dead worker: the others are graded" 9 "$(ls "$tmp"/worker/results/*/*/key | wc -l)"
run "$tmp/worker"
same "a dead worker: the same command again" "1 no-gpu-work" "$? $(verdict_of "$tmp/worker" s010)"
tap_end
