#!/bin/bash
# handouts.sh LABDIR...: the commands that a lab's handout names in its text, `make run CASE=wide` and the like, in a copy of the lab with its
# solution: each must end well. Run in the kit's folder, with BUILD; the solutions are in solutions/.
#
# Not run, and why: a command with a placeholder (N, name) is a form, not a command, and `make watch` waits for a person; DEVICE=gpu needs a GPU. How many of them there are is said.
# Prints "page: command: its last lines" for each fault; exit status 1 when there is one.
set -uo pipefail
build=$(realpath "${BUILD:-build}")
kit=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL KIT_LANG
status=0 run=0 forms=0 gpu=0

commands_of() {
    awk '/^```/ { block = !block; next } !block { while (match($0, /`[^`]+`/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$1" |
        grep -E '^make( |$)' | awk '!seen[$0]++'
}

for lab in "$@"; do
    lab=${lab%/} name=$(basename "$lab")
    cp -r "$lab" "$work/$name"
    rm -rf "$work/$name/build"
    for file in $(sed -n 's/^FILES *:= *//p; s/^EXTRA *:= *\(.*\)/\1.cu/p' "$lab/Makefile"); do cp "solutions/$name/$file" "$work/$name/"; done
    while IFS= read -r command; do
        case $command in
        *=N* | *=name* | *...*) forms=$((forms + 1)); continue ;;
        'make watch'*) forms=$((forms + 1)); continue ;; # it waits for a person
        *DEVICE=gpu*) gpu=$((gpu + 1)); continue ;;
        esac
        run=$((run + 1))
        # shellcheck disable=SC2086 # words, as a shell divides them
        out=$(cd "$work/$name" && make --no-print-directory KIT="$kit" KIT_BUILD="$build" ${command#make} 2>&1 </dev/null) ||
            { echo "$lab/README.md: $command:"; tail -n 6 <<<"$out" | sed 's/^/    /'; status=1; }
    done < <(commands_of "$lab/README.md")
    rm -rf "${work:?}/$name"
done
echo "$run run; not run: $forms with a placeholder, $gpu for a GPU"
exit $status
