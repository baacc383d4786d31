#!/bin/bash
# What students really hand in: what can only be one thing is taken, and said; the rest is not-submitted with what was found, is
# listed for a person, and can be taken by hand. The log of imports stays.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "$BUILD")
tmp=$(mktemp -d /tmp/handing-in-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab
weak=()
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || weak=(--allow-weak-sandbox)
command -v iconv >/dev/null || skip_all "no iconv to write UTF-16 with"
class=$tmp/class graded=$tmp/out

hand_in_sum "$tmp/right.cu" "a[i] - b[i]"
put() { # PATH
    mkdir -p "$(dirname "$class/$1")"
    cp "$tmp/right.cu" "$class/$1"
}
put s001/$lab/vector_add.cu
put s002/02_vector_add/vector_add.cu
put s003/$lab/Vector-Add.cu
put s004/$lab/src/vector_add.cu
put s005/$lab/VectorAdd.cu
put s006/$lab/vector_add.cu.txt
put s007/$lab/vector_add.cpp
put s008/lab2/vector_add.cu
mkdir -p "$class"/s009/$lab "$class"/s010 "$class"/s012/$lab
iconv -f UTF-8 -t UTF-16 "$tmp/right.cu" >"$class/s009/$lab/vector_add.cu"
printf '// \351t\351\n' | cat - "$tmp/right.cu" >"$class/s012/$lab/vector_add.cu"
# A zip in a zip, as a student and then a system packs it; one file that has another name; all by import.
mkdir -p "$tmp/inner" "$tmp/down/s011"
cp "$tmp/right.cu" "$tmp/inner/vector_add.cu"
tar -czf "$tmp/down/s011/inside.tar.gz" -C "$tmp/inner" vector_add.cu
tar -czf "$tmp/down/s011/work.tar.gz" -C "$tmp/down/s011" inside.tar.gz
rm "$tmp/down/s011/inside.tar.gz"
mkdir -p "$tmp/down/s013" "$tmp/down/s014/02_Vector_Add"
cp "$tmp/right.cu" "$tmp/down/s013/add.cu"
cp "$tmp/right.cu" "$tmp/down/s014/02_Vector_Add/VECTOR_ADD.cu"

"$grade" import --submissions "$class" --layout folders --labs $lab "$tmp/down" >"$tmp/stdout" 2>"$tmp/stderr"
same "import: one of three is taken" 0 $?
check "import: the slip is said" grep -q "s014/$lab: VECTOR_ADD.cu as vector_add.cu" "$tmp/stdout"
check "import: what is there is said" grep -q 'none of the files of 02-vector-add, but add.cu' "$tmp/stderr"
check "import: it is kept" test -e "$class/s013/$lab/add.cu"
check "import: an archive in an archive, too" test -e "$class/s011/$lab/inside.tar.gz"

run() {
    "$grade" run --submissions "$class" --out "$graded" --case one-block --seed 1 --jobs 2 "${weak[@]}" >"$tmp/stdout" 2>"$tmp/stderr"
}
verdict_of() { sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$graded/results/$1/$lab/result.json"; }
said_of() { # STUDENT WORDS
    grep -qF -- "$2" "$graded/results/$1/$lab/result.json"
}
run
for student in s001 s002 s003 s004 s012 s014; do
    same "$student: taken" wrong-result "$(verdict_of $student)"
done
check "s001: nothing is said" bash -c "! grep -q Taken '$graded/results/s001/$lab/result.json'"
check "s002: said" said_of s002 "Taken: the folder 02_vector_add as $lab."
check "s003: said" said_of s003 "Taken: Vector-Add.cu as vector_add.cu."
check "s004: said" said_of s004 "Taken from the folder $lab/src."
check "s012: said" said_of s012 "is Latin-1"
for student in s005 s006 s007 s008 s009 s010 s011 s013; do
    same "$student: not submitted" not-submitted "$(verdict_of $student)"
done
check "s005: what mends it" said_of s005 "grade import accept STUDENT $lab/VectorAdd.cu as vector_add.cu"
check "s008: what was found" said_of s008 "a folder lab2"
check "s009: what was found" said_of s009 "vector_add.cu is UTF-16"
check "s011: what was found" said_of s011 "inside.tar.gz, an archive"
"$grade" status --out "$graded" >"$tmp/status"
same "for a person" "s005 s006 s007 s008 s009 s011 s013" "$(sed -n 's/^for a person: \([^ ]*\) .*/\1/p' "$tmp/status" | xargs)"
check "the report counts them" grep -q '<dt>Need a person</dt><dd>7</dd>' "$graded/report/index.html"

accept() {
    "$grade" import --submissions "$class" accept "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
accept s005 $lab/VectorAdd.cu as vector_add.cu
same "accept: status" 0 $?
accept s006 vector_add.cu.txt as vector_add.cu
accept s008 lab2/vector_add.cu as vector_add.cu
accept s009 vector_add.cu as vector_add.cu
check "accept: what was converted is said" grep -q 'converted from UTF-16' "$tmp/stdout"
check "accept: into UTF-8" cmp "$tmp/right.cu" "$class/s009/$lab/vector_add.cu"
check "accept: what it was stays" test -e "$class/s009/$lab/vector_add.cu.before"
accept s013 "$class/s013/$lab/add.cu" as vector_add.cu
"$grade" import --submissions "$class" --labs $lab --students s011 "$class/s011/$lab/inside.tar.gz" >"$tmp/stdout" 2>"$tmp/stderr"
same "the inner archive is unpacked" 0 $?
run
for student in s005 s006 s008 s009 s011 s013; do
    same "$student: accepted" wrong-result "$(verdict_of $student)"
done
"$grade" status --out "$graded" >"$tmp/status"
same "for a person, then" s007 "$(sed -n 's/^for a person: \([^ ]*\) .*/\1/p' "$tmp/status" | xargs)"

refused() { # WORDS ARGUMENTS...
    local words=$1
    shift
    accept "$@"
    same "refused: $*" "2 1" "$? $(grep -cF -- "$words" "$tmp/stderr")"
}
log=$(sha256sum <"$class/import-log.csv")
refused "is there already" s001 "$tmp/right.cu" as vector_add.cu
refused "there is no file nothing.cu" s007 nothing.cu as vector_add.cu
refused "the nearest is vector_add.cu" s007 vector_add.cpp as vectoradd.cu
refused "there is no student s077" s077 vector_add.cpp as vector_add.cu
refused "accept STUDENT FILE as NAME" s007 vector_add.cpp
refused "unpacks it" s007 "$tmp/down/s011/work.tar.gz" as vector_add.cu
ln -s ../s001/$lab "$class/s010/$lab"
refused "is no folder" s010 "$tmp/right.cu" as vector_add.cu
same "refused: the log does not grow" "$log" "$(sha256sum <"$class/import-log.csv")"
same "the log: a line for each" "5 accepted, 2 taken" \
    "$(cut -d, -f4 "$class/import-log.csv" | sort | uniq -c | awk '$2 == "accepted" { a = $1 } $2 == "taken" { t = $1 } END { print a " accepted, " t " taken" }')"
same "the log: imports are numbered" "1 2 3 4 5 6 7" "$(tail -n +2 "$class/import-log.csv" | cut -d, -f1 | sort -un | xargs)"
same "the same files, the same log" "$(grep '^1,' "$class/import-log.csv" | sed "s,$class,CLASS,g")" \
    "$("$grade" import --submissions "$tmp/again" --layout folders --labs $lab "$tmp/down" >/dev/null 2>&1; grep '^1,' "$tmp/again/import-log.csv" | sed "s,$tmp/again,CLASS,g")"
tap_end
