#!/bin/bash
# A clang++ for LABCC_CLANG that gives once more what it has given for the same words and sources: programs that compile while they run, such as the
# mutants of one solution in one case, ask for the same again and again.
#
#   remember.sh FOLDER CLANG WORD...    as CLANG WORD...; what it made without saying anything, and what it says of its version, stays in FOLDER
#
# NVRTC's folder ($TMPDIR, with source.cu in it) is another one each time: its name counts for nothing, and what lies in it does. All other files are taken not
# to change. Other sources are compiled each time.
set -uo pipefail
folder=$1 clang=$2
shift 2
if [ "$*" = --version ]; then
    [ -s "$folder/version" ] || { "$clang" --version >"$folder/version.$$" && mv "$folder/version.$$" "$folder/version"; }
    exec cat "$folder/version"
fi
out='' words='' word=''
for next; do
    if [ "$word" = -o ]; then out=$next; else words+="${next//"${TMPDIR:-/}"/} "; fi
    word=$next
done
[ -n "$out" ] && [ "$word" = "${TMPDIR:-}/source.cu" ] || exec "$clang" "$@"
known=$folder/$({ echo "$words"; find "$TMPDIR" -type f ! -name log -print0 | LC_ALL=C sort -z | xargs -0r cat; } | sha256sum | cut -d' ' -f1)
[ -e "$known" ] && exec cp "$known" "$out"
said=$("$clang" "$@" 2>&1)
status=$?
[ -z "$said" ] || printf '%s\n' "$said" >&2
[ $status != 0 ] || [ -n "$said" ] || { cp "$out" "$known.$$" && mv "$known.$$" "$known"; }
exit $status
