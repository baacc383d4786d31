#!/bin/bash
# Slides and the course book of a small kit.
set -u
. "$KIT/docs/test/kit.sh"
need pandoc pdflatex rsvg-convert pdftotext pdfinfo xmllint unzip
make_kit
slides=$kit/build/handouts/01-alpha-slides.html
book=$kit/build/book
says() { grep -qF -- "$@"; }
book_text() { pdftotext -layout "$book/cuda-labs.pdf" -; }
chapter() { unzip -p "$book/cuda-labs.epub" "EPUB/text/ch00$1.xhtml"; }

printf '\n## Long\n\n%s\n\n```c\n%s\n```\n' "$(for i in 1 2 3 4 5 6 7; do echo "Sentence number $i."; done)" \
    "$(for i in $(seq 50); do echo "int line_$i;"; done)" >>"$kit/labs/01-alpha/README.md"

ok 'slides are made' make_in_kit build/handouts/01-alpha-slides.html
ok 'well-formed' xmllint --noout "$slides"
ok 'nothing from elsewhere' not grep -qE '(src|href)="https?:' "$slides"
ok 'a slide for each heading, and a title' eval "[ \$(grep -c '<h2' '$slides') -ge 4 ] && says '<h1>Lab 01: Alpha</h1>' '$slides'"
ok 'no hints on slides' not says 'Which one' "$slides"
ok 'figure and mathematics are there' eval "says 'A blue box that stands alone' '$slides' && says '<mfrac>' '$slides'"
ok 'a picture has a slide of its own, and its title' eval "grep -A3 '<h2[^>]*>box</h2>' '$slides' | says '<img'"
ok 'what a slide cannot hold is in the notes' eval "sed -n '/class=\"notes\"/,/<.aside>/p' '$slides' | says 'number 7'"
ok 'the first sentences are points' eval "sed '/class=\"notes\"/,/<.aside>/d' '$slides' | grep -c 'Sentence number [1-5]' | grep -qx 5"
ok 'long code goes on on another slide' eval "[ \$(grep -c 'class=\"sourceCode cuda\"' '$slides') -ge 4 ] && says 'line_50' '$slides'"

ok 'the book is made' make_in_kit -j2 book
ok 'PDF: title, author, chapters in order' eval "pdfinfo '$book/cuda-labs.pdf' | grep -qE '^Author: +CUDA Lab Kit' &&
    book_text | grep -oE '^[[:space:]]*Lab 0[12]: (Alpha|Beta)$' | tr -d ' \f' | tr '\n' ' ' | says 'Lab01:Alpha Lab02:Beta'"
ok 'EPUB: chapters are well-formed' eval "for n in 1 2 3; do chapter \$n | xmllint --noout - || exit 1; done"
ok 'EPUB: labs refer to one another' eval "chapter 3 | says 'href=\"ch002.xhtml#lab-01\"'"
ok 'EPUB: figures have alternatives' eval "chapter 2 | says 'alt=\"A blue box that stands alone\"'"
ok 'no secret in the book' eval "! book_text | grep -qE 'secret|= 42' && ! chapter 2 | grep -qE 'secret|= 42'"
cp "$book"/* "$kit"
rm -r "$book"
sleep 2 # members of a ZIP file have times of two seconds
ok 'the same bytes again' eval "make_in_kit book && cmp '$book/cuda-labs.pdf' '$kit/cuda-labs.pdf' && cmp '$book/cuda-labs.epub' '$kit/cuda-labs.epub'"
printf 'no zip' >"$kit/broken.epub"
ok 'zip-times refuses what is no ZIP file' not perl "$KIT/docs/pandoc/zip-times.pl" "$kit/broken.epub"
echo "1..$points"
