#!/bin/bash
# After the pass: what the hidden cases also ask and what was learnt, for each lab; and the answers, in a bundle that was asked for with them and in no other.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "$BUILD")
unset MAKEFLAGS MFLAGS MAKELEVEL LABS EXAM EXPLAIN KIT_LANG
work=$(mktemp -d /tmp/after-test.XXXXXX)
trap 'rm -rf "$work"' EXIT
none() { [ -z "$1" ] || { echo "$1"; false; }; }
# In a heading's section of a page: how many numbered points.
points() { sed -n "/^## $2/,/^## /p" "$1" | grep -c '^[0-9]*\. '; }

for folder in labs/[0-9]*/; do
    lab=$(basename "$folder")
    same "$lab: two paragraphs, hidden cases first" "The hidden cases also ask: What you have learnt: " \
        "$(grep -oE '^(The hidden cases also ask: |What you have learnt: )' "$folder/after.md" | tr -d '\n')"
    check "$lab: they leave room on the screen" [ "$(wc -l <"$folder/after.md")" -le 11 -a "$(wc -L <"$folder/after.md")" -le 79 ]
    if [ -f "$folder/lab.zh-CN.yaml" ]; then
        check "$lab: in Chinese, too" [ "$(grep -c '^隐藏用例还会考察：\|^你学到了：' "$folder/after.zh-CN.md") $(wc -L <"$folder/after.zh-CN.md" | sed 's/[1-7][0-9]/fits/')" = "2 fits" ]
    fi
    same "$lab: an answer for each question" "$(points "$folder/README.md" Questions)" "$(points "solutions/$lab/notes.md" 'The questions of the handout')"
done

# ---- What make check ends with ----
next() { (cd "$work/labs/$1" && KIT_BUILD=$BUILD "$KIT/common/lab/next-step.sh" "${@:2}"); }
mkdir -p "$work/labs"
cp -r labs/00-first-kernel labs/01-indexing "$work/labs"
for lab in 00-first-kernel 01-indexing; do
    mkdir -p "$work/labs/$lab/build"
    awk '$1 == "-" && $2 == "name:" { name = $3 } $1 == "todo:" && name { todo = $2 } $1 == "points:" && name { print name, todo, "pass", $2; name = "" }' "labs/$lab/lab.yaml" >"$work/labs/$lab/build/cases"
done
sed -i '$s/pass/wrong-result/' "$work/labs/01-indexing/build/cases"
same "nothing of it before the pass" 0 "$(next 01-indexing indexing.cu | grep -c 'hidden cases also ask')"
same "after it all of that, and the next lab" "All public cases are right.|next lab: 01-indexing" "$(next 00-first-kernel first_kernel.cu | sed -n '1p;$p' | paste -sd '|')"
check "as the lab has it" grep -qF "$(sed -n 1p labs/00-first-kernel/after.md)" <<<"$(next 00-first-kernel first_kernel.cu)"
sed -i 's/wrong-result/pass/' "$work/labs/01-indexing/build/cases"
check "in Chinese where the lab has it" grep -qF "$(sed -n 1p labs/01-indexing/after.zh-CN.md)" <<<"$(KIT_LANG=zh-CN next 01-indexing indexing.cu)"
same "no answers are named where there are none" 0 "$(next 00-first-kernel first_kernel.cu | grep -c honour)"
mkdir -p "$work/answers/00-first-kernel"
same "where there are, it says so, on the honour system" "answers to the questions, a solution and notes: answers/00-first-kernel (on the honour system)" "$(next 00-first-kernel first_kernel.cu | grep honour)"

# ---- The bundle with answers ----
if ! command -v pandoc >/dev/null; then
    skip "make dist EXPLAIN=1" "pandoc, which makes the handouts, is not here"
    tap_end
fi
two=LABS=00-first-kernel,15-debugging-clinic
bundle() { env BUILD="$work/$1.build" "${@:2}" common/starters/dist.sh && mkdir "$work/$1" && tar -xzf "$work/$1.build"/dist/*.tar.gz --strip-components=1 -C "$work/$1"; }
check "make dist EXPLAIN=1" bundle explained EXPLAIN=1 $two
check "which has a name of its own" [ -f "$work/explained.build/dist/cuda-lab-kit-explained.tar.gz" ]
check "make dist" bundle plain $two
check "which has no answers" none "$(cd "$work/plain" && ls -d answers 2>&1 >/dev/null | grep -v 'No such file'; find "$work/plain" -type f -exec sha256sum {} + | grep -F "$(find "$work/explained/answers" -type f -exec sha256sum {} + | cut -c1-64)")"
for lab in 00-first-kernel 15-debugging-clinic; do
    answers=$work/explained/answers/$lab
    for file in $("$BUILD/bin/labtool" files $lab); do
        check "$lab: $file solved, without markers" [ -s "$answers/$file" -a "$(grep -cE '//[@|]|#[@|]' "$answers/$file")" = 0 ]
        [[ $file != *.cu ]] || check "$lab: $file is the solution as it is compiled" diff <(grep -v '^ *//[@|]' "solutions/$lab/$file") "$answers/$file"
    done
    same "$lab: questions and answers" "$(points "labs/$lab/README.md" Questions) $(points "labs/$lab/README.md" Questions)" "$(points "$answers/answers.md" 'The questions') $(points "$answers/answers.md" 'The answers')"
    check "$lab: on the honour system, it says" grep -q 'honour system' "$answers/answers.md"
    check "$lab: notes, and not those about hidden cases" [ "$(head -n 1 "$answers/notes.md") $(grep -ciE 'hidden cases, and|for the class' "$answers/notes.md")" = "# Notes on the solution of lab ${lab%%-*} 0" ]
done
check "no hidden case in it" none "$(find "$work/explained" -name 'hidden.yaml' -o -name broken -o -name accepted)"
out=$(BUILD=$work/no EXAM=1 EXPLAIN=1 common/starters/dist.sh 2>&1)
same "an examination has no answers" "2 dist: an examination comes without answers: EXAM=1 or EXPLAIN=1" "$? $out"
tap_end
