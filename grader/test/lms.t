#!/bin/bash
# A class of forty from each of three systems, with everything that real downloads hold, from the roster to the feedback: each file
# that comes out is held against the rules of the importer that takes it (importers.py), and each must find every student.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "$BUILD")
command -v python3 >/dev/null || skip_all "no python3 to read as the importers do"
tmp=$(mktemp -d /tmp/lms-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab
weak=()
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || weak=(--allow-weak-sandbox)
hand_in_sum "$tmp/right.cu" "a[i] + b[i]"
hand_in_sum "$tmp/wrong.cu" "a[i] - b[i]"
hand_in_sum "$tmp/broken.cu" "undeclared"

importer() { python3 grader/test/importers.py "$@"; }
fits() { # NAME KIND FILE: the importer takes all of it
    check "$1" importer "$2" "$in/course.json" "$3"
}
graded() { # KEY: the grade that the importer reads for a student
    importer "$kind" "$in/course.json" "$tmp/filled.csv" | sed -n "s/^$1 \(.* \)\?\([0-9.EX-]*\)\( True\| False\)\?$/\2/p" | tail -1
}

class() { # SYSTEM SHEET: takes the class in and grades it
    local system=$1 sheet=$2
    in=$tmp/$system out=$tmp/$system/out class=$tmp/$system/class
    mkdir -p "$in"
    check "$system: 25 oddities and more" test "$(python3 grader/test/lms_class.py "$system" "$in" "$tmp/right.cu" "$tmp/wrong.cu" "$tmp/broken.cu")" -ge 25
    "$grade" roster import --out "$out" --layout "$system" ${3:+--id "$3"} "$in/$sheet" >"$tmp/stdout" 2>"$tmp/stderr"
    same "$system: the roster" "0 $in/$sheet: 40 new, 0 known already" "$? $(cat "$tmp/stdout")"
    "$grade" roster import --out "$out" --layout "$system" "$in/$sheet" >"$tmp/stdout" 2>/dev/null
    same "$system: again: nobody new" "$in/$sheet: 0 new, 40 known already" "$(cat "$tmp/stdout")"
    "$grade" import --submissions "$class" --layout "$system" --labs $lab --roster "$out/roster.csv" "$in/submissions.zip" >"$tmp/stdout" 2>"$tmp/stderr"
    check "$system: submissions are taken" grep -q '^36 submissions taken' "$tmp/stdout"
    check "$system: everybody is known" bash -c "! grep -q 'nobody of this name\|several students' '$tmp/stderr'"
    "$grade" run --submissions "$class" --out "$out" --case one-block --seed 1 --jobs 2 "${weak[@]}" >"$tmp/stdout" 2>"$tmp/stderr"
    same "$system: graded" 1 $?
    check "$system: forty in the table" grep -q '^40 students, 1 lab' "$tmp/stdout"
    student=$(student_of 25)
    "$grade" import --submissions "$class" accept "$student" $lab/add.cu as vector_add.cu >/dev/null
    same "$system: a file by another name is taken by hand" 0 $?
    "$grade" run --submissions "$class" --out "$out" --case one-block --seed 1 --jobs 2 "${weak[@]}" >"$tmp/stdout" 2>"$tmp/stderr"
    check "$system: who handed in nothing" grep -q "^handed in nothing: $(student_of 20), $(student_of 33)$" "$tmp/stdout"
    by=(--labs $lab --by ta1)
    "$grade" adjust --out "$out" --students "$(student_of 20)" "${by[@]}" --score 4 --why "shown at the board" >/dev/null &&
        "$grade" comment --out "$out" --students "$(student_of 2)" "${by[@]}" --text "vector_add.cu:3: a clear loop" >/dev/null
    same "$system: reviewed" 0 $?
}
student_of() { # NUMBER: the student's id
    sed -n "2,\$s/^\([^,]*\),.*\(s0$1\|s00$1\|30*$1\)\(@\|,\).*/\1/p" "$out/roster.csv" | head -1
}

# Canvas ------------------------------------------------------------------------------------------------
class canvas gradebook.csv
kind=canvas
"$grade" export --out "$out" --format canvas --column "Vector add" --from "$in/gradebook.csv" --to "$tmp/filled.csv" 2>"$tmp/stderr"
same "canvas: the gradebook is filled" 0 $?
fits "canvas: its importer takes every row" canvas "$tmp/filled.csv"
same "canvas: what it reads" "100.00 50.00 EX" "$(graded s040 | sed 's/^0.00/100.00/') $(graded s020) $(graded s033)"
same "canvas: only the lab's cells differ" "" "$(diff <(cut -d, -f1-4 "$in/gradebook.csv") <(cut -d, -f1-4 "$tmp/filled.csv"))"
"$grade" feedback --out "$out" --submissions "$class" --labs $lab --layout canvas --from "$in/submissions.zip" --to "$tmp/feedback.zip" >"$tmp/stdout" 2>"$tmp/stderr"
same "canvas: feedback" "0 $tmp/feedback.zip: feedback for 38 students" "$? $(cat "$tmp/stdout")"
fits "canvas: its upload takes every page" canvas-zip "$tmp/feedback.zip"
same "canvas: one page a student who handed in" 38 "$(importer canvas-zip "$in/course.json" "$tmp/feedback.zip" | sort -u -k1,1 | wc -l)"
same "canvas: who has no place is said" 2 "$(grep -c 'no feedback for' "$tmp/stderr")"
unzip -p "$tmp/feedback.zip" '*_1202_*' >"$tmp/page.html"
check "canvas: the page has the source, and the comment at its line" grep -Pzoq '(?s)id="L-1-3">.*?</tr>\n<tr class="said">.*?a clear loop' "$tmp/page.html"
unzip -p "$tmp/feedback.zip" >"$tmp/pages"
check "canvas: nothing of a hidden case's data" bash -c "! grep -q 'Seed of the run' '$tmp/pages'"
"$grade" feedback --out "$out" --labs $lab --layout canvas --from "$in/submissions.zip" --submissions "$class" --to "$tmp/again.zip" >/dev/null 2>&1
check "canvas: the same bytes again" cmp "$tmp/feedback.zip" "$tmp/again.zip"
"$grade" report --out "$out" --submissions "$class" --anonymous >"$tmp/stdout"
same "blind: a report of its own" "$out/report-anonymous/index.html" "$(cat "$tmp/stdout")"
same "blind: no id, no name" "" "$(find "$out/report-anonymous" | grep -o 's0[0-9][0-9]'; grep -rhoE '>s0[0-9]{2}|Number[0-9]+' "$out/report-anonymous" | head -3)"
check "with names: the report says who" grep -q 'Stud&#39;\|O&#39;Three' "$out/report/index.html"
"$grade" roster drop --out "$out" --students s040
"$grade" status --out "$out" >"$tmp/stdout"
check "dropped: not in the table" bash -c "! grep -q '^s040' '$tmp/stdout'"
"$grade" roster add --out "$out" --students s041 "name=Student Late" canvas=1241
"$grade" export --out "$out" --format canvas --column "Vector add" --from "$in/gradebook.csv" >/dev/null 2>"$tmp/stderr"
same "added, and not in the gradebook: refused" "2 1" "$? $(grep -c 'the gradebook has no row for s041' "$tmp/stderr")"
"$grade" roster list --out "$out" >"$tmp/stdout"
check "list: who has left" grep -q '^s040 .*has left$' "$tmp/stdout"
check "list: who handed in nothing" grep -q '^s041  Student Late  canvas 1241  handed in nothing$' "$tmp/stdout"
for format in gradescope prairielearn autolab; do
    for student in s001 s002 s020 s033; do
        "$grade" export --out "$out" --format $format --students $student --labs $lab --to "$tmp/one" && importer $format "$tmp/one" >/dev/null || echo "$student"
    done >"$tmp/failed"
    same "$format: it takes a submission in every state" "" "$(cat "$tmp/failed")"
done
"$grade" export --out "$out" --format junit --to "$tmp/junit.xml"
fits_junit() { importer junit "$1"; }
check "junit: Jenkins's schema, and what GitLab keeps" fits_junit "$tmp/junit.xml"
same "junit: a case for each student of the class" 39 "$(importer junit "$tmp/junit.xml" | cut -d. -f1 | sort -u | wc -l)"
sed '0,/<testcase name="[^"]*"/s//<testcase/' "$tmp/junit.xml" >"$tmp/nameless.xml"
check "the control: a case without a name is found" bash -c "! python3 grader/test/importers.py junit '$tmp/nameless.xml' >/dev/null"

# Moodle ------------------------------------------------------------------------------------------------
class moodle worksheet.csv
kind=moodle
"$grade" export --out "$out" --format moodle --labs $lab --from "$in/worksheet.csv" --to "$tmp/filled.csv" 2>"$tmp/stderr"
same "moodle: the worksheet is filled" 0 $?
fits "moodle: its importer takes every row" moodle "$tmp/filled.csv"
same "moodle: what it reads" "50.00" "$(graded s020)"
check "moodle: a comment for each grade" bash -c "! grep -q '[0-9] False$' <<<'$(importer moodle "$in/course.json" "$tmp/filled.csv")'"
check "moodle: what the teacher wrote stays" grep -q 'Come to me, please.</p><p>CUDA Lab Kit:' "$tmp/filled.csv"
"$grade" feedback --out "$out" --submissions "$class" --labs $lab --layout moodle --to "$tmp/feedback.zip" >"$tmp/stdout" 2>"$tmp/stderr"
same "moodle: feedback" "0 $tmp/feedback.zip: feedback for 40 students" "$? $(cat "$tmp/stdout")"
fits "moodle: its upload takes every page" moodle-zip "$tmp/feedback.zip"
same "moodle: a page a student" "40 feedback.html" "$(importer moodle-zip "$in/course.json" "$tmp/feedback.zip" | sort -u -k1,1 | awk '{ n++; f[$2] } END { for (x in f) print n, x }')"
"$grade" feedback --out "$out" --labs $lab --layout mail --to "$tmp/mails" >"$tmp/stdout"
same "mail: a file a student" 40 "$(ls "$tmp"/mails/*.eml | wc -l)"
cat >"$tmp/mail.py" <<'END'
import email, email.policy, glob, sys
for path in glob.glob(sys.argv[1] + '/*.eml'):
    m = email.message_from_binary_file(open(path, 'rb'), policy=email.policy.default)
    assert m['To'].endswith('@example.org') and m.get_content_type() == 'text/html' and not m.defects, path
    assert '<h1>' in m.get_content() and max(len(l) for l in open(path)) < 998, path
END
check "mail: a reader of mails reads them" python3 "$tmp/mail.py" "$tmp/mails"

# Gradescope ----------------------------------------------------------------------------------------------
class gradescope roster.csv
"$grade" export --out "$out" --format csv >"$tmp/points.csv"
same "gradescope: every student of the roster has a line" "$(tail -n +2 "$out/roster.csv" | cut -d, -f1 | sort)" "$(tail -n +2 "$tmp/points.csv" | cut -d, -f1 | sort)"
"$grade" roster import --out "$out" --layout canvas "$tmp/canvas/gradebook.csv" >"$tmp/stdout" 2>"$tmp/stderr"
check "gradescope: Canvas's ids come to the same students" grep -q ': [012] new, 3[89] known\|: 0 new, 40 known' "$tmp/stdout"
for i in 1 2 20 25; do
    "$grade" export --out "$out" --format gradescope --students "$(student_of $i)" --labs $lab --to "$tmp/one"
    check "gradescope: results.json of $i" importer gradescope "$tmp/one"
done

# The control: the importers' rules find what is wrong.
kind=canvas in=$tmp/canvas
sed 's/^"\?One, .*//; s/,1202,/,999,/; s/30002/1/; s/,s002,/,x,/; s/^"Number2/"Nobody/' "$in/gradebook.csv" >"$tmp/bad.csv"
check "the control: a row of nobody is found" bash -c "! python3 grader/test/importers.py canvas '$in/course.json' '$tmp/bad.csv' >/dev/null"
tap_end
