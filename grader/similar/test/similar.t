#!/bin/bash
# grade similar on the labs' own right answers: the accepted variants of a lab are no pairs, and disguised copies of them are.
#
# A copy has other names, comments, layout, and its functions in another order.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
tmp=$(mktemp -d /tmp/similar-test-XXXXXX)
trap 'rm -rf "$tmp"' EXIT

# What stands behind a line "}" begins another chunk; the first chunk (includes, constants) stays in front.
disguise() {
    perl -0777 -pe '
        s{//[^\n]*}{}g; s{/\*.*?\*/}{}gs;
        my %keep = map { $_ => 1 } qw(if else for while do switch case default break continue return goto sizeof struct template
            threadIdx blockIdx blockDim gridDim warpSize const constexpr static inline register volatile extern include define);
        s{("[^"\n]*")|\b([A-Za-z_]\w*)\b}{ my ($text, $word) = ($1, $2); $text // ($keep{$word} || $word =~ /^(?:cuda|atomic|__)/ ? $word : "q_$word") }ge;
        my ($first, @rest) = split /(?<=\n\}\n)/;
        $_ = join "\n// my own\n", $first, reverse @rest;
        s/^ +/\t/mg; s/\{\n/\n\{\n/g' "$1"
}

n=0
for lab in labs/[0-9]*/; do
    lab=$(basename "$lab")
    [ "$(sed -n '/^files:/,/^[a-eg-z]/p' "labs/$lab/lab.yaml" | grep -o '[a-z_0-9]*\.[a-z]*' | wc -l)" = 1 ] || continue
    i=0
    kit=(solutions/"$lab"/*.cu)
    "$BUILD/bin/labtool" submissions "$lab" "$tmp/whole"
    # The one with the most lines of its own is copied.
    mapfile -t accepted < <(for variant in "$tmp"/whole/accepted/*.cu; do
        [ ! -e "$variant" ] || echo "$(diff "${kit[0]}" "$variant" | grep -c '^>') $variant"
    done | sort -k1,1nr -k2 | cut -d' ' -f2)
    for variant in "${kit[@]}" "${accepted[@]}"; do
        name=${lab#??-}
        name=${name//-/_}.cu
        i=$((i + 1))
        to=$(printf 's%03d' $i)
        mkdir -p "$tmp/honest/$to/$lab" "$tmp/both/$to/$lab"
        cp "$variant" "$tmp/honest/$to/$lab/$name"
        cp "$variant" "$tmp/both/$to/$lab/$name"
        if [ "$variant" = "${accepted[0]:-}" ]; then
            mkdir -p "$tmp/both/s900/$lab"
            disguise "$variant" >"$tmp/both/s900/$lab/$name"
            n=$((n + 1))
        fi
    done
    rm -rf "$tmp/whole"
done
check "there are labs to look at" test $n -ge 10

# The kit's solution is nobody's own, so that what is left of a variant is what makes it one.
"$grade" similar --submissions "$tmp/honest" --common 1000 >"$tmp/stdout"
same "honest variants: status" 0 $?
same "honest variants: no pair" "" "$(grep ' %' "$tmp/stdout")"
"$grade" similar --submissions "$tmp/both" --common 1000 --out "$tmp/out" >"$tmp/stdout"
found=$(grep -c '^  s00[2-4] s900: ' "$tmp/stdout")
same "copies: no pair but of original and copy" "" "$(grep ' %' "$tmp/stdout" | grep -v '^  s00[2-4] s900: ')"
check "copies: $found of $n found (the others are the solution, but for a few lines)" test $((found * 10)) -ge $((n * 6))
page=$tmp/out/report/similar.html
check "page: says what it is" grep -q 'A pointer for a person, and no verdict' "$page"
same "page: each passage side by side" "$(grep -c '>Passage of' "$page")" "$(($(grep -c '<pre tabindex' "$page") / 2))"
if command -v xmllint >/dev/null; then
    check "page: HTML" bash -c "! xmllint --html --noout '$page' 2>&1 | grep -v 'Tag \(header\|nav\|main\|footer\|section\|details\|summary\) invalid' | grep -q error"
else
    echo "ok $((++tap_n)) # SKIP no xmllint"
fi
was=$(sha256sum <"$page")
"$grade" similar --submissions "$tmp/both" --common 1000 --out "$tmp/out" >"$tmp/again"
same "again: the same bytes" "$was $(sha256sum <"$tmp/stdout")" "$(sha256sum <"$page") $(sha256sum <"$tmp/again")"

# Identical ones are found however many there are and however near the solution; line ends and empty lines do not count, and what was
# given is nobody's. Renamed in the same way throughout, nothing but the text tells.
lab=06-reduction
for s in 1 2 3 4 5 6; do
    mkdir -p "$tmp/same/s00$s/$lab" "$tmp/years/2025/s90$s/$lab" "$tmp/alone/s00$s/$lab"
    sed -E 's/\b(n|i|block|sum|value|partial)\b/my_\1/g' solutions/$lab/reduction.cu >"$tmp/same/s00$s/$lab/reduction.cu"
    cp labs/$lab/reduction.cu "$tmp/alone/s00$s/$lab/"
done
sed -i 's/$/  \r/' "$tmp/same/s002/$lab/reduction.cu"
sed -i 's/^}$/}\n\n/' "$tmp/same/s003/$lab/reduction.cu"
echo '// my own' >>"$tmp/same/s006/$lab/reduction.cu"
same "six of the same: identical ones first" "$lab: 6 submissions, 0 pairs to look at
  identical: s001 s002 s003 s004 s005" "$("$grade" similar --submissions "$tmp/same" --labs $lab)"
same "starters are nobody's" "$lab: 6 submissions, 0 pairs to look at" "$("$grade" similar --submissions "$tmp/alone" --labs $lab)"
mkdir -p "$tmp/leaked"/s00{1,2}/$lab
cp solutions/$lab/reduction.cu "$tmp/leaked/s001/$lab/"
cp solutions/$lab/reduction.cu "$tmp/leaked/s002/$lab/"
same "the solution is not what students have" "  identical: s001 s002" "$("$grade" similar --submissions "$tmp/leaked" --labs $lab | tail -n +2)"
cp "$tmp/same/s001/$lab/reduction.cu" "$tmp/years/2025/s903/$lab/"
cp "$tmp/same/s001/$lab/reduction.cu" "$tmp/years/2025/s904/$lab/"
cp "$tmp/same/s006/$lab/reduction.cu" "$tmp/alone/s005/$lab/"
cp "$tmp/same/s001/$lab/reduction.cu" "$tmp/alone/s002/$lab/"
same "of an earlier year" "  identical: s002 earlier/2025/s903 earlier/2025/s904" \
    "$("$grade" similar --submissions "$tmp/alone" --labs $lab --earlier "$tmp/years" | tail -n +2)"
same "earlier years without years" "  identical: s002 earlier/s903 earlier/s904" \
    "$("$grade" similar --submissions "$tmp/alone" --labs $lab --earlier "$tmp/years/2025" | tail -n +2)"
"$grade" similar --submissions "$tmp/alone" --earlier "$tmp/out" >"$tmp/stdout" 2>&1
same "no class of an earlier year" 2 $?
"$grade" similar --submissions "$tmp/same" --labs $lab --out "$tmp/out" >"$tmp/stdout"
check "page: the same text" grep -q '<li>s001, s002, s003, s004, s005</li>' "$page"

# Links, FIFOs and files without end are passed over; a class without a pair is none.
lab=02-vector-add
mkdir -p "$tmp/odd"/s00{1,2,3,4}/$lab
ln -s /etc/passwd "$tmp/odd/s001/$lab/vector_add.cu"
mkfifo "$tmp/odd/s002/$lab/vector_add.cu"
ln -s /dev/zero "$tmp/odd/s003/$lab/vector_add.cu"
head -c 300000 /dev/urandom >"$tmp/odd/s004/$lab/vector_add.cu"
same "odd files" "$lab: 1 submission, 0 pairs to look at" "$(timeout 60 "$grade" similar --submissions "$tmp/odd" --labs $lab)"
"$grade" similar --submissions "$tmp/odd" --labs 77-none >"$tmp/stdout" 2>&1
same "a lab that is not there" 2 $?
"$grade" similar --submissions "$tmp/none" >"$tmp/stdout" 2>&1
same "a class that is not there" 2 $?
tap_end
