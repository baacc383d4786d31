#!/bin/bash
# paper.sh FILE...: each PDF says title, author and language, and nothing stands in its margins; each EPUB is valid (Debian's epubcheck).
#
# The margins are looked at in pictures that pdftoppm makes of the pages: the type area ends 20 mm before the edge, and what sticks out by
# more than half of that (a line of code, a table, a figure) would be cut by a printer or look broken. Prints "file: what"; exit status 1 for a fault.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fault() { echo "$1: $2"; status=1; }

# Grey pictures at 40 dots an inch: 10 mm are 16 dots. The binary form of PGM: P5, width, height, 255, bytes.
margins() {
    rm -f "$work"/*.pgm
    pdftoppm -r 40 -gray "$1" "$work/page" || { echo "cannot be drawn"; return; }
    perl -e '
        for my $path (sort @ARGV) {
            open my $file, "<:raw", $path or die; local $/; my $bytes = <$file>;
            $bytes =~ s/^P5\s+(\d+)\s+(\d+)\s+255\s// or die "no PGM"; my ($w, $h) = ($1, $2);
            my ($n) = $path =~ /-0*(\d+)\.pgm/;
            for my $y (0 .. $h - 1) {
                my $row = substr $bytes, $y * $w, $w;
                if ((substr($row, 0, 16) . substr($row, $w - 16)) =~ /[^\xE0-\xFF]/) { print "page $n: something stands in the margin\n"; last }
            }
        }' "$work"/*.pgm
}

check_pdf() {
    local info line
    info=$(pdfinfo "$1" 2>&1)
    grep -qE '^Title: +[^ ]' <<<"$info" || fault "$1" 'no title'
    grep -qE '^Author: +[^ ]' <<<"$info" || fault "$1" 'no author'
    grep -aqE '/Lang *\(' "$1" || fault "$1" 'no language'
    while IFS= read -r line; do fault "$1" "$line"; done < <(margins "$1")
}

check_epub() {
    local said
    # Debian's program is a Java archive, which not every system starts by itself.
    said=$(java -XX:TieredStopAtLevel=1 -jar "$(command -v epubcheck)" --quiet "$1" 2>&1) || fault "$1" "epubcheck: $(grep -m3 -E "ERROR|FATAL|WARNING" <<<"$said" || head -3 <<<"$said")"
}

for file in "$@"; do
    case $file in
    *.pdf) check_pdf "$file" ;;
    *.epub) if command -v epubcheck >/dev/null; then check_epub "$file"; else echo "epubcheck is not installed (make setup-all)"; exit 2; fi ;;
    esac
done
exit $status
