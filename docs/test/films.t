#!/bin/bash
# Films of solutions and mistakes (docs/films.sh, solutions/films.txt): each core lab has one, two are made, and they tell nothing of the source.
set -u
: "${BUILD:=build}"
cd "$KIT" || exit 2
command -v "${NVCC:-nvcc}" >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || command -v clang >/dev/null || { echo "1..0 # SKIP no compiler"; exit 0; }
BUILD=$(realpath "$BUILD")
. docs/test/kit.sh
work=$kit/build
mkdir -p "$work"
for part in "$BUILD"/*; do [ "$(basename "$part")" = films ] || ln -s "$part" "$work/"; done
rows() { grep -v '^#' solutions/films.txt; }
every_lab() { # a film of its solution
    local lab
    for lab in labs/0[0-9]-* labs/1[0-3]-*; do rows | grep -q "^$(basename "$lab") | solution | " || { echo "$lab has none"; return 1; }; done
}
whole_rows() { # seven fields, an edit that is there, a public case
    rows | while read -r row; do
        [ "$(awk -F' [|] ' '{ print NF }' <<<"$row")" = 7 ] || { echo "not seven fields: $row"; return 1; }
        IFS='|' read -r lab _ edit case _ <<<"${row// | /|}"
        [ "$edit" = - ] || [ -e "solutions/$lab/broken/$edit.cu.edit" ] || { echo "no edit: $row"; return 1; }
        grep -q "^  - name: $case\$" "labs/$lab/lab.yaml" || { echo "no public case: $row"; return 1; }
    done
}
translated_rows() { # of each lab that has a README in the language, and of no other: a caption for each film
    local language=zh-CN lab
    diff <(rows | awk -F' [|] ' '{ print $1, $2 }' | while read -r lab kind; do [ -e "labs/$lab/README.$language.md" ] && echo "$lab $kind"; done) \
        <(grep -v '^#' "solutions/films.$language.txt" | awk -F' [|] ' 'NF == 3 { print $1, $2 }')
}
make_film() { BUILD=$work docs/films.sh 03-shared-memory "$1"; }
films=$work/films/03-shared-memory
no_source() { # no line of the program stands in the films
    sed 's/^ *//; s/ *$//' solutions/03-shared-memory/shared_memory.cu | grep -E '.{12}' | grep -vE '^(//|#include|__global__ void [a-z_]*\()' >"$kit/lines"
    [ "$(wc -l <"$kit/lines")" -gt 40 ] && ! grep -hoFf "$kit/lines" "$films"-*
}
filtered() { # FILTER FILE OPTION...
    local filter=$1 file=$2
    shift 2
    pandoc -f gfm+tex_math_dollars -t html -M lab=03-shared-memory -M labs=03-shared-memory -M films="$work/films" "$@" --lua-filter "docs/pandoc/$filter.lua" "$file" >"$kit/page.html"
}
page() { filtered handout labs/03-shared-memory/README.md "$@"; }
shows_both() { [ "$(tr "\n" " " <"$kit/page.html" | grep -o "class=\"film\"" | wc -l)" = 2 ]; }
says() { grep -qF -- "$@"; }

ok "each core lab has a film of its solution" every_lab
ok "rows are whole, with edits and cases that are there" whole_rows
ok "captions in Chinese are those of its labs" translated_rows
ok "a film of a solution" make_film solution
ok "and of a mistake" make_film mistake
ok "under 3 MB, the page" [ "$(cat "$films-solution.html" "$films-mistake.html" | wc -c)" -lt 3000000 ]
ok "no line of the source is in them" no_source
ok "and no folder" not grep -hoE '"(inlined_)?file":"[^"]*/' "$films-solution.html" "$films-mistake.html"
ok "the mistake opens at its finding" says '"kind":"race"' "$films-mistake.html"
ok "its picture is of that moment" grep -q '<desc id="d">warp [0-9]*, line [0-9]*: [0-9]* threads* \(load\|store\)s* tile\[' "$films-mistake.svg"
for end in html svg; do cp "$films-mistake.$end" "$kit/again.$end"; done
ok "again" make_film mistake
ok "the same bytes" eval 'cmp "$films-mistake.html" "$kit/again.html" && cmp "$films-mistake.svg" "$kit/again.svg"'
if command -v pandoc >/dev/null; then
    ok "a handout shows both" eval 'page && shows_both'
    ok "with what the sentence says in their place" eval 'tr "\n" " " <"$kit/page.html" | grep -q "alt=\"warp [0-9]*, line [0-9]*: [0-9]* threads load tile"'
    ok "the site leads to the film" eval 'page -M films_at=films && says "href=\"films/03-shared-memory-mistake.html\"" "$kit/page.html" && says "src=\"films/03-shared-memory-mistake.svg\"" "$kit/page.html"'
    ok "a handout in Chinese shows both, with captions of its own" eval 'filtered handout labs/03-shared-memory/README.zh-CN.md -M language=zh-CN && shows_both && says 一个线程束读取 "$kit/page.html"'
    ok "and leads to the film" eval 'filtered handout labs/03-shared-memory/README.zh-CN.md -M language=zh-CN -M films_at=films && says 观看影片 "$kit/page.html"'
    ok "the slides show both, each on one with its caption" eval 'filtered slides labs/03-shared-memory/README.md && shows_both && tr "\n" " " <"$kit/page.html" | grep -q "<h2[^>]*>No barrier[^<]*</h2> *<p><img[^>]*class=\"film\""'
    ok "the book shows both" eval 'filtered book docs/pandoc/book.md && shows_both'
fi
echo "1..$points"
