#!/bin/bash
# films.sh LAB KIND: of a row of solutions/films.txt the film, $BUILD/films/LAB-KIND.html, and its moment, $BUILD/films/LAB-KIND.svg.
#
# FILM_ENDS="html txt" makes other forms of it. None of them has a line of a solution's source in it (vgpu --film-no-source): students read them. The same sources give the same bytes.
set -uo pipefail
lab=$1 kind=$2
kit=$(realpath "$(dirname "$0")/..")
build=$(realpath "${BUILD:-build}")
table=$kit/solutions/films.txt
fail() { echo "films.sh: $lab $kind: $*" >&2; exit 2; }

row=$(awk -F' [|] ' -v lab="$lab" -v kind="$kind" '$1 == lab && $2 == kind' "$table")
[ -n "$row" ] || fail "no such row in solutions/films.txt"
field() { awk -F' [|] ' -v n="$1" '{ print $n }' <<<"$row"; }
edit=$(field 3) case=$(field 4) kernel=$(field 5) moment=$(field 6)
launch=(--film-launch="$kernel")
if [ "$kernel" = - ]; then kernel='' launch=(); fi

work=$build/films/scratch/$lab-$kind
rm -rf "$work"
mkdir -p "$(dirname "$work")" && cp -r "$kit/labs/$lab" "$work" && rm -rf "$work/build" || fail "the lab cannot be copied"
for file in $("$build/bin/labtool" files "$work"); do cp "$kit/solutions/$lab/$file" "$work/" || fail "no solution"; done
source=$work/$("$build/bin/labtool" files "$work" | head -n 1)
if [ "$edit" != - ]; then (cd "$kit" && "$build/bin/labtool" broken "$lab" "$edit") >"$source" || fail "no edit $edit"; fi

# The program, and the case's inputs. A mistake falls short, as it should.
unset MAKEFLAGS MFLAGS MAKELEVEL KIT_LANG
make -s -C "$work" KIT="$kit" KIT_BUILD="$build" show CASE="$case" LAUNCH="$kernel" >"$work/said" 2>&1
[ -s "$work/build/film.html" ] || fail "no film: $(tail -n 3 "$work/said")"
program=$(find "$work/build" -name "$(basename "${source%.cu}")" -type f -perm -u+x | head -n 1)
mapfile -t options < <("$build/bin/labtool" options "$work" "$case")
shapes=$("$build/bin/labtool" shapes "$work" "$case")
options+=(${shapes:+"--shape=$shapes"})

# The line that the moment is of, in the kernel or, if it has none, in the whole file.
when=()
if [ "$moment" != - ]; then
    later=$(grep -oE ' \+[0-9]+$' <<<"$moment")
    text=${moment%"$later"}
    line=$(awk -v kernel="$kernel(" -v text="$text" '
        index($0, "__global__") { inside = 0 } /__global__/ || /__launch_bounds__/ { begun = 1 } begun && index($0, kernel) { inside = 1; begun = 0 }
        /^ *\/\// { next } index($0, text) { if (inside && !found) found = NR; if (!any) any = NR } END { print found ? found : any }' "$source")
    [ -n "$line" ] || fail "no line has '$text'"
    when=(--film-step=":$line${later# }")
fi
cd "$work" || exit 2
for end in ${FILM_ENDS:-html svg}; do
    "$build/bin/vgpu" --quiet "${options[@]}" --film="film.$end" --film-no-source "${launch[@]}" $([ $end = svg ] && printf '%s\n' "${when[@]}") "$program" build/case >>said 2>&1
    [ -s "film.$end" ] || fail "no film.$end: $(tail -n 3 said)"
    mv "film.$end" "$build/films/$lab-$kind.$end"
done
cd / && rm -rf "$work"
