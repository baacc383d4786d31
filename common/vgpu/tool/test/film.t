#!/bin/bash
# --film: which launch and which blocks are shown, what the sentences say, where findings have their moments; the same bytes every time.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
build_cu film -lineinfo -g "$here/film.cu" || finish
line() { grep -n "// line: $1\$" "$here/film.cu" | cut -d: -f1; }
film() { "$vgpu" --film="$scratch/film.txt" "$@" "$scratch/film" >"$scratch/out" 2>"$scratch/text"; }
sentence() { # NAME TEXT: a line of the film has it
    grep -qF -- "$2" "$scratch/film.txt"
    ok $? "$1" "$scratch/film.txt"
}
lacks() { # NAME TEXT
    ! grep -qF -- "$2" "$scratch/film.txt"
    ok $? "$1" "$scratch/film.txt"
}

"$vgpu" "$scratch/film" >"$scratch/out" 2>"$scratch/plain"
film
same "findings end the program as without a film" 1 $?
heads() { grep -E ': (race|out-of-bounds): ' "$1"; }
same "the race and the fault are found as without one" "$(heads "$scratch/plain")" "$(heads "$scratch/text")"
has "warp by warp the race has another effect, too" "$scratch/text" 'uninitialized: read of shared memory'
sentence "the first launch with a finding is the one" 'Film of turn(float const*, float*), launch 2: grid 8,1,1, block 8,8,1'
sentence "a load, by the array's name, with its values and sectors" "warp 0, line $(line store): 32 threads load in[0..31]: 1, 2.5, 3, ... 0; 4 sectors"
sentence "a store to shared memory" "warp 0, line $(line store): 32 threads store tile[0..31]: 1, 2.5, 3, ... 0; 1 pass"
sentence "a column of it: bank conflicts" "warp 0, line $(line load): 32 threads load tile[0..56 by 8], tile[1..57 by 8], tile[2..58 by 8] and 1 more place: "
sentence "which are counted" '; 2 passes where 1 would do: bank conflicts'
sentence "the last block is there" 'Block 7,0,0: '
lacks "one in the middle is not" 'Block 4,0,0: '
read -r first second < <(sed -n '/^race: /,/^  block/s/.*step \([0-9]*\), and step \([0-9]*\)$/\1 \2/p' "$scratch/film.txt")
[ -n "$second" ]
ok $? "a race has two moments" "$scratch/film.txt"
moment() { sed -n '/^Block 0,0,0/,/^$/p' "$scratch/film.txt" | grep -E "^ +$1  "; }
moment "$first" | grep -qF "line $(line store): 32 threads store tile"
ok $? "the finding's moment is the store" "$scratch/film.txt"
moment "$second" | grep -qF "line $(line load): 32 threads load tile"
ok $? "the other party's is the load" "$scratch/film.txt"
sentence "and what would have ordered them is said" '__syncthreads()'
sentence "and who they are" "  write by thread 0,1,0 of block 0,0,0 at line $(line store); read by thread 1,0,0 of block 0,0,0 at line $(line load)"
cp "$scratch/film.txt" "$scratch/again.txt"
film
cmp -s "$scratch/film.txt" "$scratch/again.txt"
ok $? "the same bytes again"
film --isolated
cmp -s "$scratch/film.txt" "$scratch/again.txt"
ok $? "and with the devices in a process of their own"
film --jobs=3
cmp -s "$scratch/film.txt" "$scratch/again.txt"
ok $? "and with three jobs"

film --film-launch=1 --film-blocks=2,5-6
sentence "a launch by its number" 'Film of copy(float const*, float*), launch 1'
same "the blocks that are named, and no others" "Block 2,0,0 Block 5,0,0 Block 6,0,0" "$(grep -oE '^Block [0-9,]+' "$scratch/film.txt" | xargs)"
grep -qE '^Shown of it: 3 of 8 blocks, [0-9]+ of [0-9]+ instructions of warps[.]$' "$scratch/film.txt"
ok $? "what is left out, of all that the launch did" "$scratch/film.txt"
film --film-launch=beyond
sentence "by the kernel's name" 'Film of beyond(float*, int), launch 3'
sentence "the array that was left" 'out-of-bounds: '
film --film-launch=beyond --film-blocks=2
sentence "a finding that is not in the film names its block" '  not in this film: --film-blocks=8 shows its block'
film --film-launch=beyond
sentence "the fault at its line" "line $(line beyond): 1 thread (lane 0) at fault: address"
film --film-launch=":$(line store)"
sentence "by a line of the source" 'Film of turn('
film --film-launch="film.cu:$(line copy)"
sentence "by file and line" 'Film of copy('
rm -f "$scratch/film.txt"
film --film-launch=nobody
has "where none is that, it says so" "$scratch/text" 'no launch for a film: none is nobody'
same "and writes nothing" '' "$(ls "$scratch/film.txt" 2>/dev/null)"

build_cu film_rounds -lineinfo -g "$here/film_rounds.cu" || finish
"$vgpu" --film="$scratch/film.txt" "$scratch/film_rounds" >"$scratch/out" 2>"$scratch/text"
sentence "who waits while others go on" "; 32 threads of warp 0 wait at the barrier of line $(grep -n '__syncthreads' "$here/film_rounds.cu" | head -1 | cut -d: -f1)"
sentence "a launch of which nothing is left out" 'All of it is shown, step by step.'
pair=$(grep -m 1 -oE 'step [0-9]+, and step [0-9]+' "$scratch/film.txt")
read -r first second <<<"$(grep -oE '[0-9]+' <<<"$pair" | xargs)"
between=$(sed -n '/^Block 0,0,0/,/^$/p' "$scratch/film.txt" | awk -v a="$first" -v b="$second" '$1 > (a < b ? a : b) && $1 < (a < b ? b : a) && /the barrier has all/' | wc -l)
same "a race between rounds: no barrier stands between its two moments" 0 "$between"
moment "$first" | grep -qF "line $(grep -n '// line: store' "$here/film_rounds.cu" | cut -d: -f1): 32 threads store piece"
ok $? "the one is a store" "$scratch/film.txt"
moment "$second" | grep -qF "line $(grep -n '// line: load' "$here/film_rounds.cu" | cut -d: -f1): 32 threads load piece"
ok $? "the other a load of what is stored there" "$scratch/film.txt"

"$vgpu" --quiet --film="$scratch/twice.txt" --film-launch=twice "$scratch/film_rounds"
grep -qF '32 threads store wide[0..62 by 2]: 1' "$scratch/twice.txt"
ok $? "a template's array, not another kernel's at the same place" "$scratch/twice.txt"
"$vgpu" --quiet --film="$scratch/twice.html" --film-launch=twice "$scratch/film_rounds"
data() { sed -n 's|.*<script type="application/json" id="film">\(.*\)</script>$|\1|p' "$scratch/$1.html" | jq -r "$2"; }
same "types and shapes of shared arrays, as their declaration has them" "first s16, second s16 8x8, wide f32" \
    "$(data twice '[.shared[] | .name + " " + .type + (if .shape then " " + (.shape | map(tostring) | join("x")) else "" end)] | sort | join(", ")')"

still() { "$vgpu" --quiet --film="$scratch/film.svg" "$@"; } # OPTION... PROGRAM
desc() { sed -n 's|.*<desc id="d">\(.*\)</desc>.*|\1|p' "$scratch/film.svg"; }
still "$scratch/film_rounds"
same "a still is of the finding's moment" "$(moment "$first" | sed 's/^ *[0-9]*  //')" "$(desc)"
cp "$scratch/film.svg" "$scratch/again.svg"
still --isolated "$scratch/film_rounds"
cmp -s "$scratch/film.svg" "$scratch/again.svg"
ok $? "the same bytes again, and isolated"
! command -v xmllint >/dev/null || xmllint --noout "$scratch/film.svg"
ok $? "well-formed"
same "all threads of the warp have their colours, in the grid and in the array, and the key has one" 65 "$(grep -oE '<rect [^/]*fill="#[0-9a-f]{6}"/>' "$scratch/film.svg" | wc -l)"
still --film-step=5 "$scratch/film_rounds"
same "or of a step by its number" "$(moment 5 | sed 's/^ *[0-9]*  //')" "$(desc)"
loads=$(sed -n '/^Block 0,0,0/,/^$/p' "$scratch/film.txt" | grep -E "line $(grep -n '// line: load' "$here/film_rounds.cu" | cut -d: -f1): [0-9]+ threads? (load|store)")
still --film-step=":$(grep -n '// line: load' "$here/film_rounds.cu" | cut -d: -f1)+1" "$scratch/film_rounds"
same "or of the second event at a line" "$(sed -n 2p <<<"$loads" | sed 's/^ *[0-9]*  //')" "$(desc)"
still --film-launch=2 --film-step=":$(line load)" "$scratch/film"
same "words of a bank are stacked: as many as its passes" "$(desc | grep -oE '[0-9]+ passes where' | grep -oE '[0-9]+')" \
    "$(grep -oE '<rect class="f" x="[0-9]+"' "$scratch/film.svg" | sort | uniq -c | awk '{ print $1; exit }')"
rm -f "$scratch/film.svg"
still --film-step=99999 "$scratch/film_rounds" 2>"$scratch/text"
has "a moment that is not there: it says so" "$scratch/text" 'no such moment in the film: 99999'
same "and writes nothing" '' "$(ls "$scratch/film.svg" 2>/dev/null)"

registers() { "$vgpu" --quiet --film="$scratch/film.html" "$@" "$scratch/film"; grep -c '"name":"%[a-z]*[0-9]*","type"' "$scratch/film.html"; }
same "registers by their names in PTX when they are asked for, and not otherwise" "1 0" "$(registers --film-registers) $(registers)"

# A source may be as long as it likes, and its lines as wide.
{ cat "$here/film_rounds.cu"; awk 'BEGIN { line = "// "; for (i = 0; i < 500; i++) line = line "<\303\251<>"; for (i = 0; i < 1500; i++) print line }'; } >"$scratch/long.cu"
build_cu film_long -lineinfo -g "$scratch/long.cu" || finish
"$vgpu" --quiet --film="$scratch/film.html" "$scratch/film_long"
[ "$(wc -c <"$scratch/film.html")" -lt 1000000 ] && [ "$(wc -c <"$scratch/long.cu")" -gt 3000000 ]
ok $? "a source of 3 MB makes no page of 3 MB"
sed -n 's|.*<script type="application/json" id="film">\(.*\)</script>$|\1|p' "$scratch/film.html" | jq -r '.sources[0].text[0, -1]' >"$scratch/text"
same "its first lines are there" "$(head -1 "$scratch/long.cu")" "$(head -1 "$scratch/text")"
same "of a wide one whole characters" "$(tail -1 "$scratch/long.cu" | head -c 399)" "$(tail -1 "$scratch/text")"

# Neither need it be text.
{ sed 's|// line: store|// \xff\xfe\x00</script>|' "$here/film_rounds.cu"; } >"$scratch/o'dd <b>.cu"
build_cu film_odd -lineinfo -g "$scratch/o'dd <b>.cu" || finish
for end in html txt svg; do "$vgpu" --quiet --film="$scratch/f ' <b>.$end" "$scratch/film_odd"; done
cat "$scratch/f ' <b>".* | iconv -f utf-8 -t utf-8 >"$scratch/text" && grep -qF 'piece[t] = in[start + t]; // ???</script>' "$scratch/text"
ok $? "a line that is not UTF-8, or has a NUL, has ? for its bytes, and the rest is UTF-8"
same "it ends no script" 3 "$(grep -o '</script' "$scratch/f ' <b>.html" | wc -l)"

refuses() { # NAME PATTERN OPTION...
    local name=$1 pattern=$2
    shift 2
    "$vgpu" "$@" "$scratch/film" >"$scratch/out" 2>"$scratch/text"
    same "$name is refused" 2 $?
    has "$name: it says why" "$scratch/text" "$pattern"
}
refuses "another file" 'a film is FILE' --film=film.mp4
for when in x : :x :3+ 3+1 -1 99999999999; do refuses "the moment $when" 'film-step is a number' --film=film.svg --film-step="$when"; done
for shape in in=64y in= =64 in in=0x4 in=4x in=1x2x3x4 in=4+ in=4x4x4+1x1 in=4, in=4444444444; do refuses "the shape $shape" 'shape is a list' --film=film.txt --shape="$shape"; done
finish
