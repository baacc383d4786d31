#!/bin/bash
# names.sh PAGE.md...: what pages name is there. Run in the kit's folder, with BUILD.
#
#   links       relative ones lead to files, others are well formed (nothing is asked of the network); each item of a handout's further reading has one
#   make WORD   is a target of the kit, of every lab, or of the page's own lab
#   grade WORD  is a command of grade; options of `grade ...` and `vgpu ...` stand in their --help
#
# Read are code in the text and blocks of commands. Prints "page: what"; exit status 1 for a fault.
set -uo pipefail
build=${BUILD:-build}
status=0
fault() { echo "$1: $2"; status=1; }

check_links() {
    local link
    while IFS= read -r link; do
        [ -e "$(dirname "$1")/$link" ] || fault "$1" "$link is not there"
    done < <(grep -oE '\]\([^)# ]+' "$1" | cut -c3- | grep -v :)
    while IFS= read -r link; do
        [[ $link =~ ^https?://[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._~%/+-]*)?(#[A-Za-z0-9._-]+)?$ ]] || fault "$1" "$link is no address"
    done < <(grep -oP '\]\(\K[^)]*:[^)]*' "$1")
    while IFS= read -r link; do
        [[ $link == *']('http* ]] || fault "$1" "further reading without a link: $link"
    done < <(awk '/^## / { inside = /^## (Further reading|延伸阅读)/ } inside && /^- /' "$1")
}

# Code in the text, and the lines of blocks that are typed, without comments.
typed() {
    awk '/^```/ { block = /^```sh/ && !block; other = !other && !block && !/^```$/; if (/^```$/) { block = 0; other = 0 } next }
         block { print; next }
         !other { while (match($0, /`[^`]+`/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$1" | sed 's/#.*//'
}

# Words of options and NAME=value are passed over.
made_words() { typed "$1" | awk '$1 == "make" { for (i = 2; i <= NF; i++) { if ($i == "-C") i++; else if ($i ~ /^[a-z][a-z-]*$/) print $i } }' | sort -u; }

targets_of() { sed -nE 's/^([a-z-]+):.*## .*/\1/p' "$@" 2>/dev/null | tr '\n' ' '; }
kit_targets=" $(env -u MAKEFLAGS -u MFLAGS make help | awk '$1 == "make" { printf "%s ", $2 }')$(targets_of common/mk/lab.mk)"
grade_help=$("$build/bin/grade" --help 2>&1) vgpu_help=$("$build/bin/vgpu" --help 2>&1)

check_targets() {
    local word own
    own=$(targets_of "$(dirname "$1")/Makefile")
    for word in $(made_words "$1"); do
        [[ "$kit_targets$own" == *" $word "* || " $own" == *" $word "* ]] || fault "$1" "\`make $word\`: no such target"
    done
}

check_options() {
    local tool=$2 help=$3 word
    for word in $(typed "$1" | sed 's/"[^"]*"//g' | grep -E "^(build/bin/)?$tool( |\$)" | grep -oE -- '--[a-z][a-z-]*' | sort -u); do
        [ "$word" = --help ] || [ "$word" = --version ] || grep -qE -- "(^|[^a-z-])$word([^a-z-]|\$)" <<<"$help" || fault "$1" "\`$tool $word\`: no such option"
    done
}

check_commands() {
    local word
    for word in $(typed "$1" | sed -nE 's,^(build/bin/)?grade ([a-z|]+).*,\2,p' | tr '|' '\n' | sort -u); do
        grep -qE "^  grade $word( |\$)" <<<"$grade_help" || fault "$1" "\`grade $word\`: no such command"
    done
}

for page in "$@"; do
    check_links "$page"
    [ "$page" = docs/style.md ] && continue # it speaks of other projects' commands
    check_targets "$page"
    check_options "$page" grade "$grade_help"
    check_options "$page" vgpu "$vgpu_help"
    check_commands "$page"
done
exit $status
