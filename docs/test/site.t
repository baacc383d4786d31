#!/bin/bash
# make site, and the checks of make check-docs: each must pass what is right and find what is planted.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc pdflatex rsvg-convert xmllint perl
make_kit
site=$kit/build/site
links() { perl "$KIT/docs/check/links.pl" "$1"; }
says() { grep -qF -- "$@"; }
front() { tr '\n' ' ' <"$site/index.html"; }

ok 'the site is made' make_in_kit -j2 site
ok 'pages are well-formed' eval "xmllint --noout '$site'/*.html"
ok 'links lead somewhere, figures have alternatives' links "$site"
ok 'labs with goal, time and what comes before' eval "front | says '<a href=\"01-alpha.html\">The letter alpha</a>' && front | says 'Know the letter.' && front | grep -q '20.min'"
ok 'the manuals are listed' eval "says '<a href=\"student.html\">' '$site/index.html' && says '<a href=\"vgpu.html\">' '$site/index.html'"
ok 'links to Markdown pages lead to HTML' not grep -qE 'href="[a-z-]+\.md' "$site"/*.html
ok 'the index knows sections' eval "says '\"page\":\"01-alpha\",\"title\":\"Lab 01: Alpha\",\"id\":\"the-idea\"' '$site/search-index.js'"
ok 'the labs stand at the side, in parts, on every page' eval "for page in index 01-alpha vgpu search; do says '<h2>Core</h2>' '$site/'\$page.html && says '<a href=\"02-beta.html\"' '$site/'\$page.html || exit 1; done"
ok 'where one is is marked' grep -q '<a href="01-alpha.html" aria-current="page">01 The letter alpha</a>' "$site/01-alpha.html"
ok 'a lab leads to the next, and that back' eval "says 'href=\"02-beta.html\" rel=\"next\"' '$site/01-alpha.html' && says 'href=\"01-alpha.html\" rel=\"prev\"' '$site/02-beta.html'"
ok 'the index knows hints and languages' eval "grep -q '\"heading\":\"Hints\",\"language\":\"en\",\"hint\":true' '$site/search-index.js' && grep -q '\"page\":\"student.zh-CN\".*\"language\":\"zh-CN\",\"hint\":false' '$site/search-index.js'"
ok 'the index is JSON behind an assignment' eval "sed -e '1s/^var SEARCH = //' -e '\$s/;\$//' '$site/search-index.js' | jq -e 'length > 20' >/dev/null"
ok 'no secret in the index' not grep -qE 'secret-case|= 42' "$site/search-index.js"
if command -v chromium >/dev/null; then
    find_word() {
        timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update \
            --disable-sync --user-data-dir="$kit/chromium" --virtual-time-budget=3000 --dump-dom "file://$site/search.html#$1" 2>/dev/null
    }
    ok 'search finds in a browser, without a server' eval "find_word launch%20costs | says 'href=\"01-alpha.html#the-idea\"'"
    ok 'what explains stands before what only names it' eval "find_word launch | grep -o 'href=\"01-alpha.html#[a-z-]*\"' | head -n 1 | says '#the-idea'"
    ok 'and finds nothing where nothing is' eval "find_word xyzzyx | says '0 sections'"
else
    for what in 'search finds in a browser' 'what explains stands first' 'and finds nothing where nothing is'; do points=$((points + 1)); echo "ok $points - $what # SKIP chromium is not installed"; done
fi

bad=$kit/bad
mkdir "$bad"
page() { printf '<html lang="en"><head><title>t</title></head><body id="top">%s</body></html>\n' "$1" >"$bad/page.html"; }
finds() { page "$1"; links "$bad" | says "$2"; }
ok 'links.pl finds a missing file' finds '<a href="gone.html">x</a>' 'gone.html leads to a file that is not there'
ok 'a missing id' finds '<a href="#gone">x</a>' 'no element has this id'
ok 'a figure without words' finds '<img src="page.html" alt="" />' 'without a text alternative'
page '<a href="#top">x</a> <a href="page.html#top">y</a>'
ok 'and is content with a right page' links "$bad"

run_page() { (cd "$bad" && printf '%s\n' "$@" >manual.md && perl "$KIT/docs/check/commands.pl" manual.md); }
ok 'commands.pl runs blocks in one folder' run_page '```sh' 'mkdir -p a' 'cd a' '```' '<!-- output: basename "$PWD" -->' '```text' 'a' '```'
ok 'a command that fails is found' eval "! run_page '\`\`\`sh' 'false' '\`\`\`'"
ok 'unless it may' run_page '```sh' 'false' '```' '<!-- may fail: it is false -->'
ok 'a command that is not there is found even then' eval "! run_page '\`\`\`sh' 'no-such-command-here; false' '\`\`\`' '<!-- may fail: it is false -->'"
ok 'what is not run is not run' run_page '<!-- not run: it would fail -->' '```sh' 'false' '```'
ok 'output that has changed is found' eval "run_page '<!-- output: echo new -->' '\`\`\`text' 'old' '\`\`\`' | says 'prints now'"
ok '--bless writes it' eval "(cd '$bad' && perl '$KIT/docs/check/commands.pl' --bless manual.md && says new manual.md && perl '$KIT/docs/check/commands.pl' manual.md)"
echo "1..$points"
