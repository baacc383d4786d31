#!/bin/bash
# Grades what was just pushed, with hidden cases, on a machine of the school's own: what post-receive and the workflows call.
#
#   grade-push.sh STUDENT LAB REPOSITORY COMMIT
#
# GRADE_KIT is the kit (with solutions), GRADE_CLASS the class's folder, GRADE_OUT the results; students can read none of them. No file
# of the commit is run or sourced here: it goes through `grade import` and into the sandbox, as every submission does. What is printed
# is what the student may see.
set -euo pipefail
student=$1 lab=$2 repository=$3 commit=$4
: "${GRADE_KIT:?is the kit with its solutions}" "${GRADE_CLASS:?is the class}" "${GRADE_OUT:?is where results go}"
grade=$GRADE_KIT/build/bin/grade
[[ $student =~ ^[A-Za-z0-9][A-Za-z0-9._@-]*$ && $commit =~ ^[0-9a-f]{40,64}$ ]] || { echo "grade-push: no student or no commit" >&2; exit 2; }
[ -d "$GRADE_KIT/labs/$lab" ] && [[ $lab != */* ]] || { echo "grade-push: there is no lab $lab" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$GRADE_CLASS" "$GRADE_OUT"
chmod 700 "$GRADE_CLASS" "$GRADE_OUT"
exec 9>"$GRADE_OUT/push.lock"
flock 9 # pushes of a class wait for one another
git --git-dir="$repository" archive --format=tar --prefix="$student/" --output="$tmp/pushed.tar" "$commit"
"$grade" import --submissions "$GRADE_CLASS" --layout folders --labs "$lab" "$tmp/pushed.tar" >"$tmp/import" 2>&1 ||
    { echo "nothing could be taken:"; sed 's/^/  /' "$tmp/import"; exit 1; }
status=0
# shellcheck disable=SC2086
"$grade" run --submissions "$GRADE_CLASS" --out "$GRADE_OUT" --students "$student" --labs "$lab" ${GRADE_OPTIONS:-} >"$tmp/run" 2>&1 || status=$?
[ $status -lt 2 ] || { echo "the grader itself failed; your teacher can see why"; cat "$tmp/run" >>"$GRADE_OUT/push.log"; exit 2; }
"$grade" export --out "$GRADE_OUT" --format student --students "$student" --labs "$lab"
