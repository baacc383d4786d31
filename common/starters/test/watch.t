#!/bin/bash
# A student's walk through the unpacked bundle, on a terminal of 80 x 24: make doctor, check, hint, watch, progress and submit; each command's answer is on the
# screen whole, below the line that was typed.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
BUILD=$(realpath "$BUILD")
for tool in tmux nvcc pandoc; do command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is not here"; exit 0; }; done
unset MAKEFLAGS MFLAGS MAKELEVEL TMUX LABS EXAM EXPLAIN KIT_LANG TIME
work=$(mktemp -d /tmp/watch-test.XXXXXX)
socket=$work/socket
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
check "the bundle is made" env BUILD="$work/made" LABS=00-first-kernel,01-indexing common/starters/dist.sh
archive=$(realpath "$work"/made/dist/*.tar.gz)
kit=$work/cuda-lab-kit-student

tmux -S "$socket" -f /dev/null new-session -d -x 80 -y 24 -c "$work" "env -u BUILD -u KIT PS1='\$?> ' bash --norc --noprofile"
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
# COMMAND: types it on an empty screen, and waits for the prompt. All that it said is there still when the command is.
at_prompt() { screen | awk 'NF { last = $0 } END { exit last !~ /^[0-9]+> *$/ }'; }
answers() {
    type_in C-l
    sleep 0.3
    type_in "$1" Enter
    sleep 0.3
    for _ in $(seq 600); do at_prompt && break; sleep 0.2; done
    [[ $(screen | head -n 1) == *"> ${1:0:60}"* ]] || { echo "more than a screen:"; screen; return 1; }
}
shows() { [[ $(screen) == *"$1"* ]] || { screen; return 1; }; }
shows_line() { screen | grep -q "$1" || { screen; return 1; }; } # REGULAR EXPRESSION
# LAB N: the solution up to TODO N; behind it what the starter has.
up_to() {
    local file=$kit/labs/$1/$("$BUILD/bin/labtool" files "$1")
    awk -v last="$2" '/\/\/@ solution/ { n = $3; inside = 1; next } /\/\/@ stub/ { inside = 2; next } /\/\/@ end/ { inside = 0; next }
        /^ *\/\/@ / { next } { sub(/^ *\/\/\| /, "    ") } !inside || (inside == 1 ? n <= last : n > last)' "solutions/$1/${file##*/}" >"$work/new.cu"
    mv "$work/new.cu" "$file"
}

# ---- Unpack, and look whether all is there ----
check "unpacking says nothing" answers "tar xzf '$archive' && cd ${kit##*/}"
check "make doctor fits" answers "make doctor"
check "and ends with what to type" shows $'first of all: the kit is not built yet\n    make -j2'
# What `make -j2` builds there is here already; but `make progress` looks whether labtool is made of that kit's sources.
mkdir -p "$kit"/build/{bin,lib}
for part in include labs bin/* lib/*; do for made in "$BUILD"/$part; do ln -s "$made" "$kit/build/${made#"$BUILD/"}"; done; done
rm "$kit/build/bin/labtool" "$kit"/build/lib/common_{base,starters}.*
check "the kit's own labtool is made" env -u BUILD -u KIT make -s -C "$kit" build/bin/labtool

# ---- The first lab, command by command ----
check "make check of the starter fits" answers "cd labs/00-first-kernel; make check"
check "it explains the first case" shows "TODO 1, number"
check "and says what is next" shows "next: TODO 1 in first_kernel.cu"
check "make hint fits" answers "make hint"
check "it asks a question" shows "store the number where the pointer points?"
check "make run fits" answers "make run"
up_to 00-first-kernel 1
check "with TODO 1 done, too" answers "make check"
check "the case is right" shows "right: number"
check "the next TODO is explained" shows "TODO 2, indexes"
check "make hint knows" answers "make hint"
check "which is next" shows "TODO 2, hint 1 of 3"
check "make submit fits" answers "make submit"
check "it says what is untouched" shows "untouched in first_kernel.cu: TODO 2, 3"
up_to 00-first-kernel 3
check "the pass fits" answers "make check"
check "it says what was learnt, and the next lab" shows "next lab: 01-indexing"

# A line that the terminal breaks is one line to tmux -J.
history() { tmux -S "$socket" capture-pane -p -S -400 "$@" | sed -n 's/ *$//; /make profile CASE/,$p'; }
answers "make profile CASE=number" >/dev/null # more than a screen
check "make profile says what a kernel costs" bash -c 'grep -q "^  bound by" <<<"$1"' - "$(history)"
same "and no line of it is too long" "$(history -J)" "$(history)"

# ---- make watch ----
type_in C-l "cd ../01-indexing; make watch" Enter
check "make watch begins with what is next" waits_for "next: TODO 1"
check "and says that files are watched" waits_for "watching indexing.cu; Ctrl-C leaves"
up_to 01-indexing 1
check "a save is seen, and what it changed is said" waits_for "3 more cases are right."
check "it goes on to the next TODO" waits_for "next: TODO 2"
check "whose first failure is explained" waits_for "TODO 2, picture"
up_to 01-indexing 2
check "and so on" waits_for "TODO 3, volume"
up_to 01-indexing 5
check "when all is right it says so" waits_for "All public cases are right"
check "on one screen" waits_for "right: line, line-257"
type_in C-c
for _ in $(seq 50); do at_prompt && break; sleep 0.2; done
check "Ctrl-C leaves" at_prompt

# ---- make progress ----
check "make progress works in a lab" answers "make progress"
check "and has all labs" shows_line '^01-indexing  *5 of 5  *\([0-9][0-9]*\)/\1  done$'
check "make progress fits" answers "cd ../..; make progress"
check "it shows how far each lab is" shows "00-first-kernel             3 of 3         75/75  done"
check "the second one, too" shows_line '^01-indexing  *5 of 5  *\([0-9][0-9]*\)/\1  done$'
check "and what is next" shows "every public case of every lab is right"
printf '%s\n' 1000 1300 1600 9000 9060 12000 >"$kit/labs/00-first-kernel/build/times"
check "make progress TIME=1" answers "make progress TIME=1"
check "has the time spent, without pauses" shows "75/75       11 min  done"
printf '%s\n' $(seq 0 600 7800) >"$kit/labs/00-first-kernel/build/times"
check "and again" answers "make progress TIME=1"
check "in hours" shows "75/75   2 h 10 min  done"
tap_end
