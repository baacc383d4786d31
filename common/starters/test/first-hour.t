#!/bin/bash
# The first hour, measured: from unpacking to the first green case of lab 00 in less than 4 min 20 s of reading and typing; and after it one edit for each of the
# first wins of labs 00 and 01.
#
# Read is the bundle's README up to the first green case, the handout of lab 00 up to the step of TODO 1, and the screens that come by; typed are the commands that
# these show, and the edit. WORDS words are read in a minute and CHARACTERS are typed. Machine time is not in it.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "$BUILD")
for tool in nvcc pandoc; do command -v $tool >/dev/null || skip_all "$tool is not here"; done
unset MAKEFLAGS MFLAGS MAKELEVEL LABS EXAM EXPLAIN KIT_LANG
readonly WORDS=200 CHARACTERS=150 SECONDS_MAX=260
work=$(mktemp -d /tmp/first-hour-test.XXXXXX)
chmod 711 "$work" # the sandboxes' users find the toolkit in it
trap 'rm -rf "$work"' EXIT
. grader/test/quick-kit.sh
make_lean_toolkit "$work/toolkit"

# ---- What a student reads and types ----
check "the bundle is made" env BUILD="$work/made" LABS=00-first-kernel,01-indexing common/starters/dist.sh
tar -xzf "$work"/made/dist/*.tar.gz -C "$work"
kit=$work/cuda-lab-kit-student
ln -s "$BUILD" "$kit/build" # for what `make -j2` builds there
page=$work/page
sed '/^That is your first green case/q' "$kit/README.md" >"$page"
sed '/^2\. \*\*TODO 2/,$d' "$kit/labs/00-first-kernel/README.md" >"$work/handout"
check "both pages have what is to be read" [ "$(grep -c '^## The first lab\|^That is your first green' "$page") $(grep -c '^1. \*\*TODO 1' "$work/handout")" = "2 1" ]

# The commands of a page's blocks of shell, without comments; not those of the container, which most do not take.
commands() { awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside && !/docker|apt-get/ { sub(/ *#.*/, ""); print }' "$1"; }
commands "$page" >"$work/commands"
printf 'make run\n' >>"$work/commands" # "Run again"
same "the commands to type" "tar cd make make cd make make make" "$(cut -d' ' -f1 "$work/commands" | xargs)"
edit='    out[0] = number;'

# ---- It works as it says ----
in_lab() { (cd "$kit/labs/00-first-kernel" && "$@") 2>&1; }
first=$(sed -n '/^cd labs/,$p' "$work/commands" | sed -n 2p)
in_lab bash -c "$first" >"$work/screen1"
check "the starter has no result yet, and says what is next" grep -q 'next: TODO 1 in first_kernel.cu' "$work/screen1"
in_lab make hint >"$work/screen2"
check "the first hint is a question" grep -q '?' "$work/screen2"
in_lab sed -i "s|^    // TODO 1: .*|$edit|" first_kernel.cu
in_lab make run >"$work/screen3"
check "one edit of one line, and the first case is green" grep -q '^right: the result is what it should be' "$work/screen3"

# Commands are typed, and what only tools read is not read.
prose() { awk '/^```sh$/ { inside = 1 } !inside && !/^<!--/ && !/^```/ { print } /^```$/ { inside = 0 }' "$@" | sed 's/\](\([^)]*\))/]/g'; }
read_words=$({ prose "$page" "$work/handout"; cat "$work"/screen[123]; } | wc -w)
typed=$(($(wc -c <"$work/commands") + ${#edit}))
seconds=$((read_words * 60 / WORDS + typed * 60 / CHARACTERS))
echo "# $read_words words to read, $typed characters to type, one edit: $((seconds / 60)) min $((seconds % 60)) s"
check "less than 4 min 20 s of reading and typing" [ $seconds -lt $SECONDS_MAX ]

# ---- One edit after the other ----
# LAB EDITS...: the starter with these of the solution's places filled in, counted from 1; says how many public cases are right.
right_with() {
    local lab=$1 file=$kit/labs/$1/$("$BUILD/bin/labtool" files "$1")
    awk -v done=" ${*:2} " '/\/\/@ solution/ { n++; inside = index(done, " " n " ") ? 1 : 2; next } /\/\/@ stub/ { inside = 3 - inside; next } /\/\/@ end/ { inside = 0; next }
        /^ *\/\/@ / { next } { sub(/^ *\/\/\| /, "    ") } inside != 2' "solutions/$lab/${file##*/}" >"$file"
    make --no-print-directory -s -C "$kit/labs/$lab" check 2>/dev/null | tr -s ' \n' ' ' | grep -oE '[0-9]+ of [0-9]+ cases' | tr -dc '0-9 ' | xargs | cut -d' ' -f1
}
wins() { # LAB EDIT...: each edit makes more cases right
    local lab=$1 before after edits=
    before=$(right_with "$lab")
    for edit in "${@:2}"; do
        edits+=" $edit"
        # shellcheck disable=SC2086
        after=$(right_with "$lab" $edits)
        echo "edits$edits: ${after:-0} cases are right, ${before:-0} before"
        [ "${after:-0}" -gt "${before:-0}" ] || return 1
        before=$after
    done
}
places() { grep -c '//@ solution' "solutions/$1"; }
same "lab 00 has four places to fill in" 4 "$(places 00-first-kernel/first_kernel.cu)"
check "none has more than three lines" awk '/\/\/@ solution/ { n = 0; inside = 1; next } /\/\/@ stub/ { inside = 0 } inside && ++n > 3 { exit 1 }' solutions/00-first-kernel/first_kernel.cu
check "lab 00: a win for each TODO" wins 00-first-kernel 1 "2 3" 4
# The fourth place of lab 01 is for pictures that are too high for a grid, which hidden cases ask.
check "lab 01: the first five wins take one edit each" wins 01-indexing 1 2 3 5 6
tap_end
