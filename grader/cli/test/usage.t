#!/bin/bash
# Wrong usage: each command line of the table ends with its status and with a sentence on standard error that says what to do. The
# class is graded by a copy of the kit with g++ for a compiler.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "$BUILD")
tmp=$(mktemp -d /tmp/usage-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab
cp -r labs/01-indexing "$tmp/kit/labs/"
kit=$tmp/kit class=$tmp/class out=$tmp/out none=$tmp/none
weak=()
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || weak=(--allow-weak-sandbox)

for student in s001 s002 s014; do
    hand_in_sum "$class/$student/$lab/vector_add.cu" "a[i] + b[i]"
done
mkdir -p "$tmp/empty" "$tmp/stray" "$tmp/lone"
touch "$tmp/stray/notes.txt"
echo "no archive" >"$tmp/s003_$lab.tar.gz"
printf 'Identifier,Grade\r\nParticipant 1,\r\n' >"$tmp/sheet.csv"
echo 'schemata: 1' >"$tmp/policy.yaml"
printf 'name\r\n' >"$tmp/roster.csv"
"$grade" run --submissions "$class" --out "$out" --case one-block --seed 1 --jobs 1 "${weak[@]}" >/dev/null 2>"$tmp/log"
check "a class to speak of" test -e "$out/gradebook.db"
"$grade" submit "$kit/labs/$lab" --to "$tmp/s004_$lab.tar.gz" >/dev/null

said=(--by ta1 --why "as agreed")
n_rows=0
# STATUS SENTENCE ARGUMENTS...
wrong() {
    local wanted=$1 sentence=$2 status
    shift 2
    n_rows=$((n_rows + 1))
    timeout 60 "$grade" "$@" >"$tmp/stdout" 2>"$tmp/stderr"
    status=$?
    if [ $status = "$wanted" ] && grep -qF -- "$sentence" "$tmp/stderr"; then
        check "grade ${*//$tmp/.}: $sentence" true
    else
        check "grade ${*//$tmp/.}: $sentence" bash -c "echo 'status $status, wanted $wanted'; cat '$tmp/stdout' '$tmp/stderr'; false"
    fi
}

# Commands and options.
wrong 2 "the nearest is run" runn
wrong 2 "the nearest is status" staus --out "$out"
wrong 2 "grade --help lists the commands" dance
wrong 2 "the nearest is export" help exprot
wrong 2 "the nearest is --out" status --ouf "$out"
wrong 2 "the nearest is --students" export --student s001
wrong 2 "\`grade run --help\` explains those it has" run --zzzzzz
wrong 2 "--jobs is no option of grade status" status --out "$out" --jobs 2
wrong 2 "unknown option -o" run -o "$out"
wrong 2 "options begin with two dashes: --out" run -out "$out"
wrong 2 "--out DIR: where results, gradebook and report go" run --submissions "$class" --out
wrong 2 "--jobs must be a whole number from 1 to 256, not 'many'" run --jobs many
wrong 2 "--percent must be a whole number from 1 to 100" similar --percent 300
wrong 2 "--again takes no value" run --again=yes
wrong 2 "separated by commas: --students a,b" export --out "$out" --format csv --students s001 --students s002

# Names.
wrong 2 "the nearest is s001" export --out "$out" --format csv --students s01
wrong 2 "there is no student s999 in the gradebook" export --out "$out" --format csv --students s001,s999
wrong 2 "there are s001, s002, s014" export --out "$out" --format csv --students professor
wrong 2 "the nearest is $lab" export --out "$out" --format csv --labs 02_vector_add
wrong 2 "there is no lab b in the gradebook" export --out "$out" --format csv --labs $lab,b
wrong 2 "--students names no student" export --out "$out" --format csv --students ,
wrong 2 "there is no student s2 in the gradebook" status --out "$out" --students s2
wrong 2 "the nearest is $lab" status --out "$out" --labs vector-add
wrong 2 "the nearest is s014" log --out "$out" --students s0144
wrong 2 "the nearest is $lab" leaderboard --out "$out" --labs 02-vectoradd
wrong 2 "there is no student s99 in $class" run --submissions "$class" --out "$out" --students s99
wrong 2 "the nearest is $lab" run --submissions "$class" --out "$out" --labs 02-vector_add
wrong 2 "the nearest is one-block" run --submissions "$class" --out "$out" --case oneblock
wrong 2 "the nearest is s001" regrade --submissions "$class" --out "$out" --students s0001
wrong 2 "the nearest is $lab" similar --submissions "$class" --labs 02-vectro-add
wrong 2 "its cases: one-block, one-less" check "$kit/labs/$lab" --case one-blok
wrong 2 "the nearest is s002" adjust --out "$out" --students s0002 --labs $lab --points 1 "${said[@]}"
wrong 2 "there is no lab 03-none in the gradebook" adjust --out "$out" --students s002 --labs 03-none --points 1 "${said[@]}"
wrong 2 "the nearest is s002" comment --out "$out" --students s020 --labs $lab --text x --by ta1
wrong 2 "\`grade run\` takes up who is new" extend --out "$out" --students professor --until 2026-10-20T00:00:00Z "${said[@]}"
wrong 2 "the nearest is 01-indexing" extend --out "$out" --students s001 --labs 01-indexin --until 2026-10-20T00:00:00Z "${said[@]}"
wrong 2 "the nearest is $lab" import --submissions "$class" --labs 02-vektor-add "$tmp/s004_$lab.tar.gz"
wrong 2 "import takes one lab at a time" import --submissions "$class" --labs $lab,01-indexing "$tmp/s004_$lab.tar.gz"

# What must be given.
wrong 2 "--submissions and --out must be given" run --out "$out"
wrong 2 "grade run --submissions DIR --out DIR" run "$class" "$out"
wrong 2 "this command takes options only" run --submissions "$class" --out "$out" extra
wrong 2 "--out must be given" status
wrong 2 "the folder that \`grade run\` wrote to" export --format csv
wrong 2 "grade export --format list lists them" export --out "$out"
wrong 2 "the nearest is canvas" export --out "$out" --format canva
wrong 2 "download the grading worksheet" export --out "$out" --format moodle
wrong 2 "--by must be given" adjust --out "$out" --students s001 --labs $lab --points 1 --why x
wrong 2 "--why must be given" adjust --out "$out" --students s001 --labs $lab --points 1 --by x
wrong 2 "--students must be given" extend --out "$out" --until 2026-10-20T00:00:00Z "${said[@]}"
wrong 2 "either --points or --score" adjust --out "$out" --students s001 --labs $lab "${said[@]}"
wrong 2 "--points must be a number, not 'much'" adjust --out "$out" --students s001 --labs $lab --points much "${said[@]}"
wrong 2 "with its distance from UTC" extend --out "$out" --students s001 --until tomorrow "${said[@]}"
wrong 2 "no change 77" withdraw --out "$out" --change 77 "${said[@]}"
wrong 2 "is no key" policy --out "$out" --from "$tmp/policy.yaml" "${said[@]}"
wrong 2 "grade check LABDIR" check
wrong 2 "grade submit LABDIR" submit
wrong 2 "lab.yaml" check "$class"
wrong 2 "--submissions and archives must be given" import --submissions "$class"

# What is there, and is not what was meant.
wrong 2 "there is no gradebook in $none" status --out "$none"
wrong 2 "$none" run --submissions "$none" --out "$tmp/x"
wrong 2 "holds no student's folder (DIR/<student>/<NN-lab>/)" run --submissions "$tmp/stray" --out "$tmp/x"
wrong 2 "--executor must be local or slurm" run --submissions "$class" --out "$tmp/x" --executor cloud
wrong 2 "--device must be virtual or gpu" run --submissions "$class" --out "$tmp/x" --device quantum
wrong 2 "--sanitize is for --device gpu" run --submissions "$class" --out "$tmp/x" --sanitize
wrong 2 "--public takes a number of cases" run --submissions "$class" --out "$tmp/x" --public=few
wrong 2 "are for --executor slurm" run --submissions "$class" --out "$tmp/x" --per-task 3
wrong 2 "install or allow bubblewrap" run --submissions "$class" --out "$tmp/x" --bwrap "$none"
wrong 2 "--out lies inside --submissions" run --submissions "$class" --out "$class/graded"
wrong 2 "--out lies inside --submissions" run --submissions "$class" --out "$class/../class/a/b"
wrong 2 "give --out a folder beside" regrade --submissions "$class" --out "$class"
wrong 2 "--out lies inside --submissions" similar --submissions "$class" --out "$class/.similar"
wrong 1 "no archive that can be read" import --submissions "$tmp/in" "$tmp/s003_$lab.tar.gz"
wrong 2 "the nearest is moodle" import --submissions "$tmp/in" --layout moodel "$tmp/s004_$lab.tar.gz"
wrong 2 "--roster says who is who" import --submissions "$tmp/in" --layout canvas --students s001 "$tmp/s004_$lab.tar.gz"
wrong 2 "the roster holds no student" import --submissions "$tmp/in" --layout folders --roster "$tmp/roster.csv" "$class"
wrong 2 "download holds no submission_metadata.yml" import --submissions "$tmp/in" --layout gradescope --labs $lab "$class"
wrong 2 "for \`grade run --executor slurm\` alone" task --out "$out"

# The roster, feedback, review.
printf 'a,b\r\n1,2\r\n' >"$tmp/table.csv"
printf '\377\376a\0' >"$tmp/utf16.csv"
wrong 2 "the nearest is import" roster imprt --out "$out"
wrong 2 "what is to be done with the roster?" roster --out "$out"
wrong 2 "--layout must be canvas, moodle, gradescope or csv" roster import --out "$out" "$tmp/table.csv"
wrong 2 "the nearest is canvas" roster import --out "$out" --layout canva "$tmp/table.csv"
wrong 2 "Export Entire Gradebook" roster import --out "$out" --layout canvas "$tmp/table.csv"
wrong 2 "save it as CSV (UTF-8)" roster import --out "$out" --layout canvas "$tmp/utf16.csv"
wrong 2 "grade roster import --out DIR --layout moodle FILE" roster import --out "$out" --layout moodle
wrong 2 "the nearest is login" roster import --out "$out" --layout canvas --id logn "$tmp/table.csv"
wrong 2 "--students must be given" roster add --out "$out"
wrong 2 "as in: name=" roster add --out "$out" --students s009 Name
wrong 2 "the nearest is email" roster add --out "$out" --students s009 emial=x
wrong 2 "cannot name a folder" roster add --out "$out" --students ../x
wrong 2 "extra_hours must be a number" roster add --out "$out" --students s009 extra_hours=many
wrong 2 "there is no student s099 in the roster" roster drop --out "$out" --students s099
wrong 2 "it is filled in, never made" export --out "$out" --format canvas
wrong 2 "this is no gradebook of Canvas's" export --out "$out" --format canvas --from "$tmp/table.csv"
wrong 2 "--layout must be given" feedback --out "$out" --labs $lab --to "$tmp/x.zip"
wrong 2 "the nearest is canvas" feedback --out "$out" --labs $lab --layout canvs --to "$tmp/x.zip"
wrong 2 "--to must be given" feedback --out "$out" --labs $lab --layout mail
wrong 2 "the download of submissions" feedback --out "$out" --labs $lab --layout canvas --to "$tmp/x.zip"
wrong 2 "there is nobody whom the system would find" feedback --out "$out" --labs $lab --layout moodle --to "$tmp/x.zip"
wrong 2 "grade review --out DIR --submissions DIR --by NAME" review --out "$out"
wrong 2 "there is no gradebook in $none" review --out "$none" --submissions "$class" --by ta1
wrong 2 "--port must be a whole number from 1 to 65535" review --out "$out" --submissions "$class" --by ta1 --port 0
wrong 2 "--format must be text or csv" items --out "$out" --format pdf
check "no roster was made of it" test ! -e "$out/roster.csv"

check "the table has 60 rows and more: $n_rows" test $n_rows -ge 60
check "no wrong usage leaves a folder" test ! -e "$tmp/x"

check "nor one in the class" test ! -e "$class/graded" -a ! -e "$class/a"
check "a folder beside it is not inside" "$grade" similar --submissions "$class" --out "$class-similar" --labs 02-vector-add

# Lists of names do what help says of them.
rows() { "$grade" export --out "$out" --format csv "$@" | tail -n +2 | cut -d, -f1 | xargs; }
same "several students" "s001 s014" "$(rows --students s001,s014)"
same "blanks beside commas" "s001 s014" "$(rows --students 's001, s014')"
same "labs and students" "s002" "$(rows --labs $lab --students=s002)"
tap_end
