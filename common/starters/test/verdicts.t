#!/bin/bash
# check-starters.t and edits.sh on a lab of their own: what is not ok fails, an edit that no longer applies is named, edits and whole sources come to the same.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
export BUILD
work=$(mktemp -d)
trap 'rm -rf "$work"; rm -rf "$BUILD/labs/97-edited"' EXIT

n=0
report() { # STATUS NAME OUTPUT
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' <<<"$3"; fi
}
# NAME STATUS SAYS COMMAND...: the command ends with the status and says the text.
ends() {
    local name=$1 wanted=$2 says=$3 out status
    shift 3
    out=$("$@" 2>&1)
    status=$?
    [ $status = "$wanted" ] && [[ $out == *"$says"* ]]
    report $? "$name" "status $status instead of $wanted, or without \"$says\":"$'\n'"$out"
}

# A kit that has one lab, and the parts of this one that grading it needs: the grader takes the kit in which it stands.
lab=97-edited
mkdir -p "$work"/{labs,solutions,build/bin,build/lib,build/labs,build/common/starters/test}
ln -s "$KIT/common" "$KIT/grader" "$KIT/docs" "$KIT/Makefile" "$work"
common/starters/new-lab.sh $lab "$work" >/dev/null
"$BUILD/bin/starters" --kit "$work" $lab >/dev/null
make --no-print-directory -C "$work" BUILD="$BUILD" "$BUILD/labs/$lab/judge" "$BUILD/labs/$lab/driver.o" >"$work/made" 2>&1
report $? "a lab is made" "$(cat "$work/made")"
cp "$BUILD"/bin/{grade,grade-runner,vgpu,starters,labtool} "$work/build/bin"
cp -r "$BUILD/lib/liblab.a" "$BUILD/lib/vgpu" "$work/build/lib"
cp -r "$BUILD/labs/$lab" "$work/build/labs"
(. grader/test/quick-kit.sh && copy_compiler "$work")
cp "$BUILD/common/starters/test/check_result" "$work/build/common/starters/test"
broken=$work/solutions/$lab/broken
check() { env -u SHORT KIT="$work" BUILD="$work/build" LABS=$lab "$KIT/common/starters/test/check-starters.t"; }
labtool() { (cd "$work" && "$BUILD/bin/labtool" "$@"); }

# ---- Edits ----
labtool submissions $lab "$work/whole"
report $? "its submissions are made whole" ""
same() { cmp - "$work/whole/broken/no-guard.cu"; }
labtool broken $lab no-guard | same && labtool broken labs/$lab no-guard.cu | same
report $? "labtool broken prints the same" "$(labtool broken $lab no-guard 2>&1)"
ends "a name that is not there is refused" 2 "has no submission none" labtool broken $lab none
ends "accepted and broken are not one" 2 "has no submission no-guard" labtool accepted $lab no-guard
cp "$broken/no-guard.cu.edit" "$work/kept"
labtool broken $lab no-guard >"$broken/no-guard.cu"
rm "$broken/no-guard.cu.edit"
printf '// expect: wrong-result\n// Another program.\n#include "lab.h"\n' >"$broken/another.cu"
edits() { # edits.sh works on the kit that it stands in
    mkdir -p "$work/kit/common/starters"
    cp common/starters/edits.sh "$work/kit/common/starters"
    ln -sfn "$work/labs" "$work/kit/labs"
    ln -sfn "$work/solutions" "$work/kit/solutions"
    "$work/kit/common/starters/edits.sh" "$@"
}
ends "a whole source becomes an edit" 0 "broken/no-guard.cu: an edit of 11 lines" edits $lab
cmp "$work/kept" "$broken/no-guard.cu.edit" && [ ! -e "$broken/no-guard.cu" ]
report $? "the same that it was" "$(diff "$work/kept" "$broken/no-guard.cu.edit")"
[ -e "$broken/another.cu" ] && [ ! -e "$broken/another.cu.edit" ]
report $? "another program stays a file" "$(ls "$broken")"
rm "$broken/another.cu"
ends "edits of a lab that is not there" 2 "there is no lab 99-none" edits 99-none

# ---- What is not ok ----
ends "a lab that is not there" 2 "there is no lab 99-none" env LABS=99-none common/starters/test/check-starters.t
ends "make check-starters of one" 2 "there is no lab 99-none" make --no-print-directory BUILD="$BUILD" check-starters LABS=99-none
if ! "$BUILD/bin/grade" doctor >/dev/null 2>&1; then
    echo "ok $((n + 1)) - verdicts of a lab # SKIP grade doctor does not end well here"
    echo "1..$((n + 1))"
    exit 0
fi
ends "what is well ends with 0" 0 "ok 2 - $lab: every edit applies to the solution" check
sed 's/^-    if (i < n)/-    if (i <= n)/' "$work/kept" >"$broken/stale.cu.edit"
sed -i 's/^.. expect: .*/\/\/ expect: race/' "$broken/no-guard.cu.edit"
out=$(check 2>&1)
[ $? = 1 ] && [[ $out == *"stale.cu.edit:8: the solution has no such line"* ]]
report $? "an edit that no longer applies is named, with its line, and fails" "$out"
[[ $out == *"expected race in one-more, got out-of-bounds"* && $out == *"not ok 2 "*"not ok 8 "* ]]
report $? "and so does another verdict" "$out"
echo "1..$n"
