#!/bin/bash
# docs/check/spelling.sh finds a wrong word in text, and passes over code, names and the words of docs/words.txt.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc hunspell
spell() { printf '%s\n' "$1" >"$kit/page.md"; "$KIT/docs/check/spelling.sh" "$kit/page.md"; }
finds() { spell "$1" | grep -qF "page.md: $2"; }
ok 'right words pass' spell 'The colour of a warp is a question.'
ok 'a wrong word is found' finds 'A quesstion about warps.' quesstion
ok 'in a table too' finds "$(printf '| a | b |\n|---|---|\n| one | twoo |')" twoo
ok 'code is no text' spell 'Type `qwzx`, and $t = qwzx$.'
ok 'a name is no word' spell 'cudaMemcpyAsync and B200 and XYZZ.'
ok 'our own words pass' spell 'The gradebook of the autograder.'
echo "1..$points"
