#!/bin/bash
# The checks of make check-docs that look at files: each passes what is right, and tells of a fault that is planted.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc pdflatex pdfinfo pdftoppm perl awk
check=$KIT/docs/check
dir=$kit/files
mkdir "$dir"
cd "$dir" || exit 1
# SENTENCE COMMAND...: the command fails, and says it.
tells() { local out; out=$("${@:2}" 2>&1) && { echo "passed: $out"; return 1; }; grep -qF -- "$1" <<<"$out" || { echo "$out"; return 1; }; }
if_there() { # TOOL WHAT COMMAND...
    if command -v "$1" >/dev/null; then ok "${@:2}"; else points=$((points + 1)); echo "ok $points - $2 # SKIP $1 is not installed"; fi
}

# ---- HTML ----
page() { printf '<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>t</title><meta charset="utf-8" /></head><body>%s</body></html>\n' "$1" >page.html; }
html() { page "$1"; "$check/html.sh" page.html; }
bad_html() { page "$2"; tells "$1" "$check/html.sh" page.html; }
if_there tidy 'a right page is valid' html '<details><summary>s</summary><p>x <code>y</code></p></details><table><tr><td>a</td></tr></table>'
if_there tidy 'an end that is missing' bad_html 'page.html:' '<p>x <b>y</p>'
if_there tidy 'an element that HTML 5 has not' bad_html '<blik>' '<p><blik>x</blik></p>'
if_there tidy 'one id twice' bad_html 'already defined' '<p id="a">x</p><p id="a">y</p>'
if_there tidy 'a block within a line' bad_html 'page.html:' '<p><span><div>x</div></span></p>'

# ---- Screens ----
wide() { page "<div style=\"width: 900px\">x</div>"; tells 'at 360 px it is' "$check/screen.sh" page.html; }
fits() { page '<pre style="overflow-x: auto">a long line a long line a long line a long line a long line a long line a long line a long line</pre>'; "$check/screen.sh" page.html; }
tall() { page '<div class="slide">x</div><div class="slide" style="height: 120vh">y</div>'; cp page.html x-slides.html; tells 'slide 2 is' "$check/screen.sh" x-slides.html; }
full() { page '<div class="slide" style="zoom: 0.5">x</div>'; cp page.html y-slides.html; tells 'slide 1 is full' "$check/screen.sh" y-slides.html; }
if_there chromium 'what scrolls inside of itself fits a telephone' fits
if_there chromium 'a page that is too wide' wide
if_there chromium 'a slide that is too tall' tall
if_there chromium 'a slide that has to be made too small' full

# ---- PDF and EPUB ----
# NAME OPTIONS TEXT
pdf() {
    printf '\\pdfobjcompresslevel=0\\documentclass{article}\\usepackage[a4paper,margin=20mm]{geometry}\\usepackage{hyperref}\\hypersetup{%s}\\begin{document}%s\\end{document}\n' "$2" "$3" >"$1.tex"
    pdflatex -interaction=batchmode "$1.tex" >/dev/null 2>&1 || { cat "$1.log"; return 1; }
}
all='pdftitle={T},pdfauthor={A},pdflang={en}'
right_pdf() { pdf right "$all" 'Text.' && "$check/paper.sh" right.pdf; }
lacks() { pdf lacks "$2" 'Text.' && tells "$1" "$check/paper.sh" lacks.pdf; }
sticks_out() { pdf out "$all" 'Text.\newpage\hspace*{125mm}\mbox{Mississippi Mississippi Mississippi}' && tells 'page 2: something stands in the margin' "$check/paper.sh" out.pdf; }
ok 'a right PDF passes' right_pdf
ok 'a PDF without a title' lacks 'no title' 'pdfauthor={A},pdflang={en}'
ok 'without an author' lacks 'no author' 'pdftitle={T},pdflang={en}'
ok 'without a language' lacks 'no language' 'pdftitle={T},pdfauthor={A}'
ok 'a line that sticks out' sticks_out
bad_epub() { printf -- '---\ntitle: T\nlang: en\n---\n# One\n\n```{=html}\n<p><blik>x</blik></p>\n```\n' | pandoc -o bad.epub && tells 'element "blik" not allowed' "$check/paper.sh" bad.epub; }
if_there epubcheck 'a spoilt EPUB' bad_epub

# ---- What pages name ----
cd "$KIT" || exit 1
names() { printf '%s\n' "$@" >"$dir/page.md"; docs/check/names.sh "$dir/page.md"; }
bad_name() { printf '%s\n' "${@:2}" >"$dir/page.md"; tells "$1" docs/check/names.sh "$dir/page.md"; }
touch "$dir/there.md"
ok 'what is there passes' names 'See [it](there.md), [elsewhere](https://example.org/x), `make demo`, `make check`, `grade export --format csv`, `vgpu --device=a100 x`.'
ok 'a link to no file' bad_name 'gone.md is not there' '[it](gone.md)'
ok 'an address with a blank' bad_name 'is no address' '[it](https://example.org/a b)'
ok 'one of no host' bad_name 'is no address' '[it](https:/example.org/a)'
ok 'further reading without a link' bad_name 'further reading without a link: - *A book*' '## Further reading' '- *A book*'
ok 'with one' names '## Further reading' '- [*A book*](https://example.org/a#b)' '## After it' '- *No book*'
ok 'what the handouts name is there' docs/check/names.sh labs/[0-9]*/README*.md
ok 'a target that is not there' bad_name '`make demmo`: no such target' 'Type `make demmo`.'
ok 'in a block, too' bad_name '`make demmo`: no such target' '```sh' 'make demmo # comment' '```'
ok 'but not in what is printed' names '```text' 'make demmo' '```'
ok 'a command that is not there' bad_name '`grade judge`: no such command' '`build/bin/grade judge x`'
ok 'an option that is not there' bad_name '`vgpu --speed`: no such option' '```sh' 'build/bin/vgpu --speed ./x' '```'

# ---- Commands of handouts: a small kit whose lab is a Makefile ----
cd "$kit" || exit 1
mkdir -p labs/03-gamma solutions/03-gamma
printf 'FILES := gamma.cu\nrun:\n\t@grep -q right gamma.cu && [ "$(CASE)" != none ]\n' >labs/03-gamma/Makefile
echo wrong >labs/03-gamma/gamma.cu; echo right >solutions/03-gamma/gamma.cu
handout() { printf '%s\n' "$@" >labs/03-gamma/README.md; "$check/handouts.sh" labs/03-gamma; }
ok 'commands of handouts run with the solution' eval "handout 'Type \`make run CASE=one\`, or \`make run CASE=N\`, or \`make run DEVICE=gpu\`.' | grep -qx '1 run; not run: 1 with a placeholder, 1 for a GPU'"
ok 'one that fails' eval "handout 'Type \`make run CASE=none\`.' | grep -qF 'make run CASE=none:'"
ok 'one that is not there' eval "! handout 'Type \`make rum\`.' >/dev/null"
echo "1..$points"
