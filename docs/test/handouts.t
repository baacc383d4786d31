#!/bin/bash
# make handouts: HTML and PDF of a small kit, both editions, both papers.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc pdflatex rsvg-convert pdftotext pdfinfo xmllint
make_kit
out=$kit/build/handouts
page() { cat "$out/01-alpha.html"; }
paper() { pdftotext -layout "$out/$1" -; }
says() { grep -qF -- "$@"; }

ok 'handouts are made' make_in_kit -j2 handouts
ok 'HTML is well-formed' xmllint --noout "$out/01-alpha.html" "$out/02-beta.html"
ok 'HTML asks for nothing from elsewhere' not grep -qE '(src|href)="(https?:|[^"#]*\.(css|svg|js)")' "$out/01-alpha.html"
ok 'title, author and language in HTML' eval "page | says '<h1>Lab 01: Alpha</h1>' && page | says 'name=\"author\" content=\"CUDA Lab Kit\"' && page | says 'lang=\"en\"'"
ok 'mathematics is MathML' eval "page | says '<mfrac>'"
ok 'CUDA words are highlighted' eval "page | says '<span class=\"at\">__global__</span>' && page | says '<span class=\"at\">&lt;&lt;&lt;</span>'"
ok 'hints are folded in HTML' eval "page | says '<details>' && page | grep -q '<summary>'"
ok 'a figure keeps its text alternative' eval "page | says 'alt=\"A blue box that stands alone\"'"
ok 'lab 02 is a link, lab 77 is not' eval "page | says '<a href=\"02-beta.html\">lab 02</a>' && page | says 'no lab 77'"
ok 'a link to a README leads to the handout' says '<a href="01-alpha.html">the first</a> or (<a href="01-alpha.html">lab' "$out/02-beta.html"
ok 'points of public cases and the sum of the hidden' eval "page | grep -A1 'first-case' | says 30 && page | grep -A1 'hidden cases' | says 44.5"
ok 'no hidden name, no solution for students' eval "! page | grep -qE 'secret|= 42' && ! paper 01-alpha.pdf | grep -qE 'secret|= 42'"
ok 'PDF says who, what and in which language' eval "pdfinfo '$out/01-alpha.pdf' | grep -qE '^Title: +Lab 01: Alpha' &&
    pdfinfo '$out/01-alpha.pdf' | grep -qE '^Author: +CUDA Lab Kit' && grep -aqE '/Lang *\(en\)' '$out/01-alpha.pdf'"
ok 'PDF is A4' eval "pdfinfo '$out/01-alpha.pdf' | grep -q '(A4)'"
ok 'hints are behind everything else on paper' eval "paper 01-alpha.pdf | tr '\f' '\n' | grep -nE 'Questions|read last' | tail -n 1 | grep -q 'read last'"
ok 'a launch is no guillemet on paper' eval "paper 01-alpha.pdf | says 'a <<<4, 5>>>?'"

cp "$out/01-alpha.html" "$kit/before.html"
cp "$out/01-alpha.pdf" "$kit/before.pdf"
ok 'nothing is made twice' eval "[ -z \"\$(make_in_kit handouts)\" ]"
rm "$out"/01-alpha.*
ok 'again' make_in_kit handouts
ok 'the same bytes' eval "cmp '$out/01-alpha.html' '$kit/before.html' && cmp '$out/01-alpha.pdf' '$kit/before.pdf'"

ok 'US letter' eval "make_in_kit handouts PAPER=letter && pdfinfo '$out/01-alpha-letter.pdf' | grep -q 'letter'"
ok 'the instructor'\''s edition' make_in_kit handouts SOLUTIONS=1
ok 'hidden cases, solution and notes are in it' eval "for word in secret-case '= 42' 'What is hard'; do paper solutions/01-alpha.pdf | says \"\$word\" || exit 1; done"
ok 'no markers in it' eval "! paper solutions/01-alpha.pdf | grep -qE '//[@|]|TODO 1: write'"
echo "1..$points"
