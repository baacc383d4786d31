#!/bin/bash
# What `make check-docs` checks, after everything has been built:
#
#   pages      HTML of handouts, slides and site is well-formed; links lead somewhere; figures have text alternatives
#   markdown   relative links in README.md, manuals and handouts lead to files
#   translations  have the parts of their originals, and are no older (docs/check/translations.pl)
#   paper      each PDF says title, author and language
#   targets    each `make WORD` in README.md, handouts and manuals is a target
#   spelling   words of the text are in the dictionary or in docs/words.txt (docs/check/spelling.sh)
#   commands   the manuals' commands run in a scratch copy of the kit, and print what the page shows (docs/check/commands.pl)
#
#   check-docs.sh [--bless]      --bless writes the outputs shown in the manuals anew; read the diff
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
bless=${1:-}
failed=0

say() { # WHAT STATUS OUTPUT
    if [ "$2" = 0 ]; then echo "ok      $1"; else echo "FAILED  $1"; sed 's/^/        /' <<<"$3"; failed=1; fi
}

check_pages() {
    local out
    out=$(xmllint --noout "$build"/site/*.html "$build"/handouts/*.html 2>&1); say "pages are well-formed" $? "$(head -20 <<<"$out")"
    out=$(perl docs/check/links.pl "$build/site"); say "links lead somewhere, figures have text alternatives" $? "$out"
}

# Relative links of the Markdown files themselves, as a reader of the repository follows them.
check_markdown() {
    local page link out=
    for page in README.md docs/*.md labs/*/README*.md; do
        while IFS= read -r link; do
            [ -e "$(dirname "$page")/$link" ] || out+="$page: $link is not there"$'\n'
        done < <(grep -oE '\]\([^)#: ]+' "$page" | cut -c3-)
    done
    [ -z "$out" ]; say "links in Markdown lead to files" $? "$out"
}

check_paper() {
    local pdf info out=
    for pdf in "$build"/handouts/*.pdf "$build"/book/cuda-labs.pdf; do
        [[ $pdf == *-letter.pdf ]] && continue # not made by this command
        info=$(pdfinfo "$pdf")
        grep -qE '^Title: +[^ ]' <<<"$info" || out+="$pdf: no title"$'\n'
        grep -qE '^Author: +[^ ]' <<<"$info" || out+="$pdf: no author"$'\n'
        grep -aqE '/Lang *\(' "$pdf" || out+="$pdf: no language"$'\n'
    done
    [ -z "$out" ]; say "PDFs say title, author and language" $? "$out"
}

# Each translation (README.LANGUAGE.md, lab.LANGUAGE.yaml, docs/PAGE.LANGUAGE.md) against the English beside it.
check_translations() {
    local file out=
    for file in labs/*/README.*.md labs/*/lab.*.yaml docs/*.*-*.md; do
        [ -e "$file" ] || continue
        out+=$(perl docs/check/translations.pl "$(sed -E 's/\.[a-z]+-[A-Z]+(\.[a-z]+)$/\1/' <<<"$file")" "$file") || out+=$'\n'
    done
    [ -z "$out" ]; say "translations say what their originals say today" $? "$out"
}

# Each `make WORD` in code: in the text, or a line of a block that is typed. Words of options and NAME=value are passed over.
made_words() {
    awk '/^```/ { block = /^```sh/ && !block; next }
         block { print; next }
         { while (match($0, /`[^`]+`/)) { print substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' "$1" |
        sed 's/#.*//' | awk '$1 == "make" { for (i = 2; i <= NF; i++) { if ($i == "-C") i++; else if ($i ~ /^[a-z][a-z-]*$/) print $i } }' | sort -u
}

check_targets() {
    local targets own page word out=
    targets=" $(env -u MAKEFLAGS -u MFLAGS make help | awk '$1 == "make" { printf "%s ", $2 }') $(sed -nE 's/^([a-z]+):.*## .*/\1/p' common/mk/lab.mk | tr '\n' ' ')"
    for page in README.md docs/*.md labs/*/README*.md; do
        [ "$page" = docs/style.md ] && continue # it speaks of other projects' commands
        own=$(sed -nE 's/^([a-z]+):.*## .*/\1/p' "$(dirname "$page")/Makefile" 2>/dev/null | tr '\n' ' ') # a lab may have targets of its own
        for word in $(made_words "$page"); do
            [[ "$targets $own" == *" $word "* ]] || out+="$page: \`make $word\`: no such target"$'\n'
        done
    done
    [ -z "$out" ]; say "targets exist" $? "$out"
}

# Each manual is a reader of its own, with a kit of its own that is built already.
check_commands() {
    local page scratch out status
    for page in "$@"; do
        scratch=$(mktemp -d)
        git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- --ignore-failed-read 2>/dev/null | tar -x -C "$scratch"
        tar --create --exclude="$build/handouts" --exclude="$build/site" --exclude="$build/test-logs" "$build" | tar -x -C "$scratch" --transform="s,^$build,build,"
        out=$(cd "$scratch" && perl docs/check/commands.pl $bless "$page" 2>&1)
        status=$?
        [ -z "$bless" ] || cp "$scratch/$page" "$page"
        say "commands of $page" $status "$out"
        rm -rf "$scratch"
    done
}

# The pages made from tables are lists of names, and translations need another dictionary.
check_spelling() {
    local out
    command -v hunspell >/dev/null || { echo "skipped spelling: hunspell is not installed (make setup-all)"; return; }
    out=$(docs/check/spelling.sh README.md NEWS.md $(ls docs/*.md labs/*/README.md | grep -vE -- '-support.md|[.]zh-CN[.]md')); say "spelling" $? "$out"
}

check_pages
check_markdown
check_spelling
check_translations
check_paper
check_targets
if [ -d solutions ]; then check_commands docs/student.md docs/instructor.md docs/vgpu.md
else echo "skipped commands of the manuals: they need the solutions, which this bundle does not have"; fi
exit $failed
