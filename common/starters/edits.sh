#!/bin/bash
# Whole sources in solutions/NN-name/broken and accepted become edits of the solution (edit.h), where the edit has at most two thirds of
# the lines: what is truly another program stays a file.
#
#   edits.sh [LAB...]    all labs without one; `make edits LABS=a,b`
#
# labtool makes an edit only if it gives the same bytes back. Prints what became an edit; BUILD says where labtool is.
set -euo pipefail
cd "$(dirname "$0")/../.."
labtool=${BUILD:-build}/bin/labtool
lines_of() { wc -l <"$1"; }
labs=("$@")
[ $# -gt 0 ] || mapfile -t labs < <(cd solutions && ls -d [0-9][0-9]-*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for lab in "${labs[@]}"; do
    [ -f "labs/$lab/lab.yaml" ] || { echo "edits: there is no lab $lab" >&2; exit 2; }
    for folder in "solutions/$lab"/{broken,accepted}; do
        [ -d "$folder" ] || continue
        while IFS= read -r file; do
            "$labtool" edit "labs/$lab" "$file" >"$work/edit" 2>/dev/null || continue
            [ $(($(lines_of "$work/edit") * 3)) -le $(($(lines_of "$file") * 2)) ] || continue
            cp "$work/edit" "$file.edit"
            rm "$file"
            echo "$file: an edit of $(lines_of "$file.edit") lines"
        done < <(find "$folder" -type f ! -name '*.edit' | LC_ALL=C sort)
    done
done
