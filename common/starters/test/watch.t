#!/bin/bash
# make watch and make progress, on a terminal of 80 x 24.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "$BUILD")
for tool in tmux nvcc; do command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is not here"; exit 0; }; done
unset MAKEFLAGS MFLAGS MAKELEVEL TMUX KIT_LANG
work=$(mktemp -d /tmp/watch-test.XXXXXX)
socket=$work/socket
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/labs"
ln -s "$KIT/common" "$work/common"
cp -r labs/01-indexing "$work/labs"
rm -rf "$work"/labs/*/build
lab=$work/labs/01-indexing

tmux -S "$socket" -f /dev/null new-session -d -x 80 -y 24 -c "$lab" "env PS1='\$ ' bash --norc --noprofile"
screen() { tmux -S "$socket" capture-pane -p; }
type_in() { tmux -S "$socket" send-keys "$@"; }
waits_for() { # TEXT: until the screen has it
    for _ in $(seq 600); do
        [[ $(screen) == *"$1"* ]] && return
        sleep 0.2
    done
    echo "the screen never had '$1':"
    screen
    return 1
}
# The solution up to a TODO; behind it what the starter has.
up_to() {
    awk -v last="$1" '/\/\/@ solution/ { n = $3; inside = 1; next } /\/\/@ stub/ { inside = 2; next } /\/\/@ end/ { inside = 0; next }
        /^ *\/\/@ / { next } { sub(/^ *\/\/\| ?/, "") } !inside || (inside == 1 ? n <= last : n > last)' solutions/01-indexing/indexing.cu >"$work/new.cu"
    mv "$work/new.cu" "$lab/indexing.cu"
}

type_in "make --no-print-directory watch KIT='$KIT' KIT_BUILD='$BUILD'" Enter
check "the first screen says what is next" waits_for "next: TODO 1"
check "and that files are watched" waits_for "watching indexing.cu; Ctrl-C leaves"
up_to 1
check "a save is seen, and what it changed is said" waits_for "3 more cases are right."
check "it goes on to the next TODO" waits_for "next: TODO 2"
check "whose first failure is explained" waits_for "TODO 2, picture"
up_to 2
check "and so on" waits_for "TODO 3, volume"
up_to 5
check "when all is right it says so" waits_for "right: line, line-257"
check "with the score" waits_for "Score: 50/50"
type_in C-c
check "Ctrl-C leaves" waits_for $'\n$'
sleep 0.5
type_in "clear; cd ../..; BUILD='$BUILD' '$KIT/common/lab/progress.sh'" Enter
check "make progress shows how far the lab is" waits_for "01-indexing                 5 of 5         50/50  done"
check "on lines that fit" bash -c '[ "$(BUILD="$0" common/lab/progress.sh | wc -L)" -le 80 ]' "$BUILD"
tap_end
