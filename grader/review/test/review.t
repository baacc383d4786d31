#!/bin/bash
# `grade review`: what it answers to whom (curl), and a person's work in a browser (report/test/browser/review.mjs).
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "$BUILD")
command -v curl >/dev/null || skip_all "no curl"
tmp=$(mktemp -d /tmp/review-test-XXXXXX)
chmod 755 "$tmp"
pid=
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab
weak=()
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || weak=(--allow-weak-sandbox)
class=$tmp/class out=$tmp/out
for i in 1 2 3; do hand_in_sum "$class/s00$i/$lab/vector_add.cu" "a[i] - b[i] + $i"; done
printf "// <script>alert('x')</script> </code></table>\n#error <img src=x onerror=alert(1)>\n" >>"$class/s002/$lab/vector_add.cu"
"$grade" roster add --out "$out" --students s001 name="Student One"
"$grade" roster add --out "$out" --students s002 name="<img src=x onerror=alert(2)>"
"$grade" run --submissions "$class" --out "$out" --case one-block --seed 1 --jobs 2 "${weak[@]}" >/dev/null 2>&1

start() { # ARGUMENTS
    : >"$tmp/stdout" # the program opens it a moment later
    "$grade" review --out "$out" --submissions "$class" --by ta1 "$@" >"$tmp/stdout" 2>"$tmp/stderr" &
    pid=$!
    for _ in $(seq 900); do
        [ -s "$tmp/stdout" ] && break
        sleep 0.1
    done
    url=$(head -1 "$tmp/stdout") base=${url%%/\?*} port=${url##*127.0.0.1:} port=${port%%/*} token=${url##*token=}
}
start
check "it prints an address with a token" grep -qE '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{64}$' "$tmp/stdout"
check "it listens on 127.0.0.1 alone" bash -c "! ss -ltn 2>/dev/null | awk '{ print \$4 }' | grep ':$port$' | grep -v '^127.0.0.1:'"
code() { curl -s -o "$tmp/body" -w '%{http_code}' "$@"; }
cookie=(-H "Cookie: grade_review_$port=$token")
form=(--data-urlencode act=comment --data-urlencode student=s001 --data-urlencode lab=$lab --data-urlencode "text=x")
same "no token: nothing" 403 "$(code "$base/")"
same "a wrong token: nothing" 403 "$(code "$base/?token=${token/[0-9]/x}")"
same "a part of the token: nothing" 403 "$(code "$base/?token=${token:0:63}")"
same "no token: no write" 403 "$(code -H "Origin: $base" "${form[@]}" "$base/act")"
same "the token: a cookie" 303 "$(code "$url")"
same "the cookie: the class" 200 "$(code "${cookie[@]}" "$base/")"
same "another host: refused" 403 "$(code "${cookie[@]}" -H "Host: evil.example:$port" "$base/")"
same "localhost is fine" 200 "$(code "${cookie[@]}" -H "Host: localhost:$port" "$base/")"
same "another port's host: refused" 403 "$(code "${cookie[@]}" -H "Host: 127.0.0.1:1" "$base/")"
same "a write without an origin: refused" 403 "$(code "${cookie[@]}" "${form[@]}" "$base/act")"
same "a write of another origin: refused" 403 "$(code "${cookie[@]}" -H "Origin: http://evil.example" "${form[@]}" "$base/act")"
same "a write of no origin: refused" 403 "$(code "${cookie[@]}" -H "Origin: null" "${form[@]}" "$base/act")"
same "a write of another site by its own word: refused" 403 "$(code "${cookie[@]}" -H "Sec-Fetch-Site: cross-site" "${form[@]}" "$base/act")"
same "another method: refused" 405 "$(code "${cookie[@]}" -X DELETE "$base/")"
same "a form of another type: refused" 400 "$(code "${cookie[@]}" -H "Origin: $base" -H 'Content-Type: text/plain' -d 'act=comment' "$base/act")"
head -c 70000 /dev/zero | tr '\0' a >"$tmp/long"
same "too much: refused" 413 "$(code "${cookie[@]}" -H "Origin: $base" --data-binary "@$tmp/long" -H 'Content-Type: application/x-www-form-urlencoded' "$base/act")"
for bad in 'student=%00' 'student=%zz' 'student=%ff' "$(printf 'a=1&%.0s' $(seq 40))"; do
    same "no form: $(head -c 20 <<<"$bad")" 400 "$(code "${cookie[@]}" -H "Origin: $base" -d "$bad" "$base/act")"
done
same "nobody of that name" 404 "$(code "${cookie[@]}" "$base/s?student=s099&lab=$lab")"
same "no such page" 404 "$(code "${cookie[@]}" "$base/../../etc/passwd")"
same "nothing was written" "" "$("$grade" log --out "$out")"
same "an adjustment without a reason" 400 "$(code "${cookie[@]}" -H "Origin: $base" -d "act=adjust&student=s001&lab=$lab&points=1" "$base/act")"
same "a comment at a line that is none" 400 "$(code "${cookie[@]}" -H "Origin: $base" -d "act=comment&student=s001&lab=$lab&text=x&line=1&file=../x" "$base/act")"
same "a comment" 303 "$(code "${cookie[@]}" -H "Origin: $base" "${form[@]}" "$base/act")"
same "through the same log" "ta1  s001 $lab  comment: a comment, which the student reads: x" "$("$grade" log --out "$out" | cut -d' ' -f5-)"
"$grade" adjust --out "$out" --students s001 --labs $lab --points -1 --by ta2 --why "by the command" >/dev/null
code "${cookie[@]}" "$base/s?student=s001&lab=$lab" >/dev/null
check "what a command wrote is shown" grep -q 'by the command' "$tmp/body"
"$grade" withdraw --out "$out" --change 2 --by ta2 --why done >/dev/null
"$grade" withdraw --out "$out" --change 1 --by ta2 --why done >/dev/null
check "the address of it is nobody else's" bash -c "! '$grade' review --out '$out' --submissions '$class' --by ta1 --port $port >'$tmp/second' 2>&1"
check "which it says" grep -q "cannot listen on 127.0.0.1:$port" "$tmp/second"

here=grader/report/test/browser
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
if command -v node >/dev/null && [ -d $here/node_modules/axe-core ] && [ -n "$CHROMIUM" ]; then
    CHROMIUM=$CHROMIUM node $here/review.mjs "$url" $lab >"$tmp/browser" 2>&1
    status=$?
    sed 's/^/# /' "$tmp/browser"
    same "in a browser" 0 $status
else
    skip "in a browser" "node, axe-core or chromium is not here (make setup-all)"
fi
kill -INT $pid
wait $pid
same "Ctrl-C ends it" 0 $?

start --anonymous
cookie=(-H "Cookie: grade_review_$port=$token")
code "${cookie[@]}" "$base/" >/dev/null
check "blind: no id and no name" bash -c "! grep -qE 's00[123]|Student One' '$tmp/body'"
name=$(grep -o 'student=[a-z0-9%]*' "$tmp/body" | head -1)
same "blind: a page" 200 "$(code "${cookie[@]}" "$base/s?$name&lab=$lab")"
check "blind: with the source" grep -q 'int vector_add' "$tmp/body"
same "blind: a comment comes to the right student" 303 "$(code "${cookie[@]}" -H "Origin: $base" -d "act=comment&$name&lab=$lab&text=blind" "$base/act")"
check "blind: in the log, by id" grep -q "s00[123] $lab  comment: .*blind" <("$grade" log --out "$out")
kill -INT $pid
wait $pid
for missing in --out --submissions --by; do
    args=(--out "$out" --submissions "$class" --by ta1)
    for i in 0 2 4; do [ "${args[$i]}" = $missing ] && unset "args[$i]" "args[$((i + 1))]"; done
    "$grade" review "${args[@]}" >/dev/null 2>"$tmp/stderr"
    same "without $missing: refused" 2 $?
done
tap_end
