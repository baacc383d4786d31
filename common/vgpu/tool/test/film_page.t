#!/bin/bash
# --film=FILE.html in headless Chromium (film_page.mjs): says of each step what FILE.txt says, by keyboard, at three widths, light and dark, without a
# violation that axe-core knows, and runs nothing that stands in a source or a name. With SHORT=1 a third of the films is looked at (common/mk/test/short.sh).
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
. "$KIT/common/mk/test/short.sh"
modules=$KIT/grader/report/test/browser
command -v node >/dev/null || skip_all "node is not here (make setup-all)"
for module in playwright-core axe-core; do
    [ -d "$modules/node_modules/$module" ] || skip_all "$module is not here (make setup-all)"
done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
[ -n "$CHROMIUM" ] || skip_all "chromium is not here (make setup-all)"
export CHROMIUM
build_cu film -lineinfo -g "$here/film.cu" || finish
build_cu film_page -lineinfo -g "$here/film_page.cu" || finish
build_cu film_values -G "$here/film_values.cu" || finish
files=()
films=0 skipped=0
# Is the next film left out?
is_left_out() {
    films=$((films + 1))
    is_out_of_turn $films || return 1
    skipped=$((skipped + 1))
}
make_film() { # NAME PROGRAM OPTION...
    local name=$1 program=$2 end
    shift 2
    ! is_left_out || return 0
    for end in html txt; do
        "$vgpu" --quiet --film="$scratch/$name.$end" "$@" "$scratch/$program"
        files+=("$scratch/$name.$end")
    done
}
make_film race film
make_film fault film --film-launch=beyond
make_film mixed film_page --film-launch=mixed --shape=wide=8x16+1
make_film loop film_page --film-launch=loop
make_film hostile film_page --film-launch=hostile
make_film values film_values
labcc=$(dirname "$vgpu")/labcc
if "$labcc" -G -o "$scratch/film_values_clang" "$here/film_values.cu" 2>"$scratch/errors"; then make_film values-clang film_values_clang; fi
# Ten films of labs, as the site has them: of solutions and of classic mistakes.
mkdir -p "$scratch/build"
for part in "$(dirname "$(dirname "$vgpu")")"/*; do [ "$(basename "$part")" = films ] || ln -s "$part" "$scratch/build/"; done
labs=0
for row in 00-first-kernel-mistake 01-indexing-solution 02-vector-add-mistake 03-shared-memory-mistake 06-reduction-mistake 08-matrix-multiply-solution \
    09-convolution-solution 10-histogram-mistake 11-transpose-mistake 12-warp-primitives-solution; do
    labs=$((labs + 1))
    ! is_left_out || continue
    BUILD=$scratch/build FILM_ENDS="html txt" "$KIT/docs/films.sh" "${row%-*}" "${row##*-}" || labs=0
    for end in html txt; do
        mv "$scratch/build/films/$row.$end" "$scratch/lab-$row.$end"
        files+=("$scratch/lab-$row.$end")
    done
done
left_out $skipped "of $films films"
same "ten films of labs" 10 $labs
"$vgpu" --quiet --film="$scratch/hostile.svg" --film-launch=hostile "$scratch/film_page"
if command -v xmllint >/dev/null; then xmllint --noout "$scratch/hostile.svg"; fi && ! grep -qiE '<(script|img|a|foreignObject|image|use)[ >]|onerror=.?[a-z]' <(sed 's/&[a-z]*;//g' "$scratch/hostile.svg")
ok $? "a still has the texts as texts" "$scratch/hostile.svg"
same "films are made" $((2 * (films - skipped))) "$(find "${files[@]}" -size +0 | wc -l)"
node "$here/film_page.mjs" "$modules" "${SHOTS:-}" "${files[@]}" >"$scratch/tap" 2>"$scratch/errors"
same "the browser's tests pass" 0 $?
grep '^not ok' -A 12 "$scratch/tap" | sed 's/^/# /'
sed 's/^/# /' "$scratch/errors"
same "and are as many as they say" "1..$(grep -cE '^(not )?ok ' "$scratch/tap")" "$(tail -1 "$scratch/tap")"
finish
