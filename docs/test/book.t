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

ok 'slides are made' make_in_kit build/handouts/01-alpha-slides.html
ok 'well-formed' xmllint --noout "$slides"
ok 'nothing from elsewhere' not grep -qE '(src|href)="https?:' "$slides"
ok 'a title' says '<h1>Lab 01: Alpha</h1>' "$slides"
ok 'no hints on slides' not says 'Which one' "$slides"
ok 'a slide for each picture, under the sentence that it says' eval "[ \$(grep -c '<h2' '$slides') = 1 ] && grep -A3 '<h2[^>]*>A box stands alone.</h2>' '$slides' | says 'A blue box that stands alone'"
ok 'what is said with it is in its notes, mathematics too' eval "sed -n '/class=\"notes\"/,/<.aside>/p' '$slides' | says '<mfrac>'"
check_slides() { perl "$KIT/docs/check/slides.pl" "$1"; }
slide() { printf '<section class="slide">\n%s\n</section>\n' "$1"; }
image='<p><img src="x" alt="A picture of a box" /></p>'
for n in first second third; do slide "<h2>The $n box is blue.</h2>$image<aside class=\"notes\"><p>Words</p></aside>"; done >"$kit/deck.html"
ok 'slides.pl is content with one thought and one picture a slide' check_slides "$kit/deck.html"
finds() { { cat "$kit/deck.html"; slide "$1"; } >"$kit/bad.html"; check_slides "$kit/bad.html" | says "slide 5: $2"; }
ok 'it finds a title that is no sentence' finds "<h2>The box of the lab</h2>$image" 'its title is no sentence'
ok 'one too short' finds "<h2>It is.</h2>$image" 'a title of 2 words'
ok 'one that another slide has' finds "<h2>The first box is blue.</h2>$image" 'another one has this title'
ok 'no picture' finds '<h2>The fourth box is blue.</h2>' '0 pictures'
ok 'two' finds "<h2>The fourth box is blue.</h2>$image$image" '2 pictures'
ok 'a second thought' finds "<h2>The fourth box is blue.</h2>$image<p>And another.</p>" 'more than title and picture: And another.'
ok 'a deck of one slide' eval "slide '<h2>The first box is blue.</h2>$image' >'$kit/bad.html'; check_slides '$kit/bad.html' | says '1 slides behind the first'"

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
