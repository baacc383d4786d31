#!/bin/bash
# docs/check/figures.pl: three figures in each lab of this kit, drawn as its rules say; and it tells of each way in which one can fall short.
set -u
. "$KIT/docs/test/kit.sh"
need perl
check=$KIT/docs/check/figures.pl
in_kit() { (cd "$KIT" && "$check"); }
ok 'the figures of the labs' in_kit

cd "$kit" || exit 1
mkdir -p docs/pandoc labs/01-alpha solutions
cp "$KIT/docs/pandoc/figure.css" docs/pandoc
fresh() {
    local n
    printf '01-alpha | solution | - | a | b | - | What is seen.\n' >solutions/films.txt
    : >labs/01-alpha/README.md
    for n in one two; do
        printf '<svg viewBox="0 0 480 30">\n  <title id="t">A figure stands here.</title>\n  <desc id="d">A box in which nothing stands.</desc>\n  <rect fill="#eee"/><text font-size="12">a</text>\n</svg>\n' >labs/01-alpha/$n.svg
        printf '![A box without content](%s.svg)\n\n' $n >>labs/01-alpha/README.md
    done
    "$check" --style
}
tells() { fresh; eval "$2"; ! "$check" >said && grep -qF -- "$1" said; }
ok 'two drawings and a film are three figures' fresh
ok 'two are too few' tells '01-alpha: 2 of 3 figures' ': >solutions/films.txt'
ok 'one that the page does not show' tells 'does not show it' "sed -i '1d' labs/01-alpha/README.md"
ok 'one that is not there' tells 'three.svg is not there' "echo '![A box without content](three.svg)' >>labs/01-alpha/README.md"
ok 'a title that is no sentence' tells 'one.svg: its title is no sentence' "sed -i 's/stands here[.]/here/' labs/01-alpha/one.svg"
ok 'without a description' tells 'no description' "sed -i '/<desc/d' labs/01-alpha/one.svg"
ok 'a colour without a dark one' tells 'fill="#123456" has no dark colour' "sed -i 's/#eee\"\/>/#123456\"\/>/' labs/01-alpha/one.svg"
ok 'another style' tells 'its style is not' "sed -i 's/svg{fill:/svg{fill:red;/' labs/01-alpha/two.svg"
ok 'letters that are too small' tells 'letters of 8 units' "sed -i 's/\"12\"/\"8\"/' labs/01-alpha/one.svg"
echo "1..$points"
