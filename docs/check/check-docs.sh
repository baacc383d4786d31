#!/bin/bash
# What `make check-docs` checks, after everything has been built; each check is a script of its own in this folder:
#
#   html.sh, links.pl, screen.sh   HTML of handouts, slides and site is valid; links lead somewhere; figures have text alternatives; pages and slides
#                    fit the screens that people use
#   axe.mjs, figures.pl            axe-core finds no violation, code keeps to its column; three figures in each lab, with dark colours
#   slides.pl                      a slide has one thought and one picture, and a title that says it
#   paper.sh         each PDF says title, author and language, and nothing stands in its margins; the EPUB is valid
#   names.sh         links of README.md, manuals and handouts lead to files; targets, commands and options that they name are there
#   spelling.sh      words of the text are in the dictionary or in docs/words.txt
#   translations.pl  translations have the parts of their originals, and are no older
#   commands.pl      commands of README.md and of the manuals run in a scratch copy of the kit, and print what the page shows
#   handouts.sh      commands that handouts name run in a copy of the lab
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

# WHAT COMMAND...: a check of its own. What it says is shown when it fails.
check() {
    local what=$1 out status
    shift
    out=$("$@" 2>&1)
    status=$?
    say "$what" $status "$(head -40 <<<"$out")"
}

check_pages() {
    local screen
    check "pages are valid HTML" docs/check/html.sh "$build"/site/*.html "$build"/handouts/*.html
    check "links lead somewhere, figures have text alternatives" perl docs/check/links.pl "$build/site"
    if command -v chromium >/dev/null; then check "pages and slides fit screens of 360, 1024 and 1920 px" docs/check/screen.sh "$build"/site/*.html
    else echo "skipped screens: chromium is not installed (make setup-all)"; fi
    if command -v chromium >/dev/null && [ -d grader/report/test/browser/node_modules/axe-core ]; then
        check "axe-core finds no violation on any page, code keeps to its column, figures cut no text" node docs/check/axe.mjs "$build"/site/*.html "$build"/handouts/*.html "$build"/site/films/*.html labs/*/*.svg
    else echo "skipped axe-core: it or chromium is not here (make setup-all)"; fi
    check "slides carry one thought and one picture each, under a sentence" perl docs/check/slides.pl "$build"/handouts/*-slides.html
    check "each lab has three figures, light and dark" docs/check/figures.pl
}

check_paper() {
    local files=() pdf
    for pdf in "$build"/handouts/*.pdf; do
        [[ $pdf == *-letter.pdf ]] || files+=("$pdf") # not made by this command
    done
    check "PDFs say title, author and language, and keep their margins; the EPUB is valid" docs/check/paper.sh "${files[@]}" "$build"/book/cuda-labs.{pdf,epub}
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
        say "commands of $page" $status "$(grep -v '^note: ' <<<"$out")"
        sed -n 's/^note: /        /p' <<<"$out"
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
check "links of Markdown, targets, commands and options are there" docs/check/names.sh README.md NEWS.md docs/*.md labs/*/README*.md
check_spelling
check_translations
check_paper
if [ -d solutions ]; then
    # A translation has the commands of its original, which check_translations compares.
    check_commands $(grep -l '^```sh' README.md docs/*.md | grep -v '[.].*[.]md$')
    check "commands of handouts" docs/check/handouts.sh labs/[0-9]*
else
    echo "skipped commands of manuals and handouts: they need the solutions, which this bundle does not have"
fi
exit $failed
