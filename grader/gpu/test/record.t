#!/bin/bash
# record-gpu: figures of a run on a card go into the files of that card, with where they come from; what the run did not have stays.
cd "$(dirname "$0")/../../.." || exit 2
. grader/test/tap.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp"/kit/{common/ladder/measured,grader/gpu/{measured,parts}} "$tmp"/run/counters
cp grader/gpu/{record.sh,condense.awk} "$tmp/kit/grader/gpu"
cp grader/gpu/parts/ladders.sh "$tmp/kit/grader/gpu/parts"
record() { (cd "$tmp/kit" && grader/gpu/record.sh "$tmp/run"); }
ladders=$tmp/kit/common/ladder/measured/z9 gpu=$tmp/kit/grader/gpu/measured/z9

check "a folder without results is refused" eval '! record 2>/dev/null'
printf '{"date":"2001-02-03","card":"NVIDIA Z9 PCIe","driver":"1.2","toolkit":"13.0",\n"parts":[]}\n' >"$tmp/run/results.json"
printf 'ceiling\tcopy_memcpy\t10\tGB/s\n' >"$tmp/run/ceilings.tsv"
printf 'ladder\t02-a\tadd\tone\t1\nladder\t02-a\tadd\tbest\t0.5\n' >"$tmp/run/ladders.tsv"
printf '# old\nladder\t01-z\told\tone\t7\nladder\t02-a\tadd\tgone\t9\n' >"$ladders-ladders.tsv"
printf '# old\n02-a\tkept\tpass\t0\t0\t0\t0\n02-a\tleak\tpass\t0\t0\t0\t0\n' >"$gpu-broken.tsv"
printf '02-a\tleak\tplain\t0\t\n02-a\tleak\tmemcheck\t3\tLeaked\n02-a\tleak\tracecheck\t0\tnot run\n02-a\tleak\tinitcheck\t-1\tno end\n02-a\tleak\tsynccheck\t0\t\n' >"$tmp/run/sanitizer.tsv"
printf 'wrong\ttwo\twrong-result\t5\t8\n' >"$tmp/run/counters-graded.tsv"
cat >"$tmp/run/counters/02-a.csv" <<'END'
"ID","Kernel Name","Grid Size","smsp__inst_executed.sum","gpu__time_duration.sum"
"","","","inst","ns"
"0","add(const float *, int)","(64, 1, 1)","1,234","500"
"1","ampere_cublas_kernel","(1, 1, 1)","9","9"
END
check "a run is recorded" record
same "its ceilings" "# grader/gpu/ceilings.cu on an NVIDIA Z9 PCIe, driver 1.2, CUDA 13.0, 2001-02-03; fields: ceiling NAME VALUE UNIT
ceiling	copy_memcpy	10	GB/s" "$(cat "$ladders-ceilings.tsv")"
same "its ladders, and those of labs that it did not have" "ladder	01-z	old	one	7
ladder	02-a	add	one	1
ladder	02-a	add	best	0.5" "$(grep -v '^#' "$ladders-ladders.tsv")"
same "how often they were repeated is said" 1 "$(grep -c "^# .* $(sed -n 's/^REPEATS=//p' grader/gpu/parts/ladders.sh) repeats,.*2001-02-03" "$ladders-ladders.tsv")"
same "its reports, and the rows that it did not have" "02-a	kept	pass	0	0	0	0
02-a	leak	pass	3	0	-	0" "$(grep -v '^#' "$gpu-broken.tsv")"
same "a launch a line, the libraries' own left out" "02-a add 64,1,1 1234" "$(grep -v '^#' "$ladders-counters.tsv" | tail -n +2 | cut -f1-4 | tr '\t' ' ')"
same "what was graded by counters" "wrong	two	wrong-result	5	8" "$(grep -v '^#' "$gpu-counters-graded.tsv")"
cp -r "$tmp/kit" "$tmp/once"
printf 'ceiling\tcopy_memcpy\t99\tGB/s\n' >"$tmp/run/ceilings.tsv"
check "of figures named only those are taken" eval '(cd "$tmp/kit" && grader/gpu/record.sh "$tmp/run" "ladders broken") && diff -r "$tmp/once" "$tmp/kit"'
printf 'ceiling\tcopy_memcpy\t10\tGB/s\n' >"$tmp/run/ceilings.tsv"
check "recorded again" record
check "the same run twice changes nothing" diff -r "$tmp/once" "$tmp/kit"
tap_end
