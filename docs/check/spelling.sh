#!/bin/bash
# spelling.sh PAGE.md...: each word of the text is in the British dictionary or in docs/words.txt.
#
# Code is no text; words with digits or capitals inside are names. Prints "page: word" for each fault; exit status 1 when there is one.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
filter=$(mktemp)
trap 'rm -f "$filter"' EXIT
echo 'function Code() return pandoc.Str("") end function CodeBlock() return {} end function RawBlock() return {} end function Math() return {} end' >"$filter"
status=0
for page in "$@"; do
    text=$(LC_ALL=C.UTF-8 pandoc -f gfm+tex_math_dollars -t plain --wrap=none --lua-filter "$filter" "$page") || { echo "$page: pandoc cannot read it"; exit 2; }
    unknown=$(LC_ALL=C.UTF-8 hunspell -d en_GB -l <<<"$text") || { echo "hunspell cannot work" >&2; exit 2; }
    words=$(sed "s/['’]s\$//" <<<"$unknown" | grep -vE '[0-9]|[[:lower:]][[:upper:]]|[[:upper:]]{2}' | LC_ALL=C.UTF-8 sort -u | LC_ALL=C.UTF-8 comm -23 - <(grep -v '^#' "$here/../words.txt" | LC_ALL=C.UTF-8 sort -u))
    for word in $words; do echo "$page: $word"; status=1; done
done
exit $status
