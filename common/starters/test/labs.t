#!/bin/bash
# What a student does in a lab's folder, in a copy of it: make, make run, make hint, make clean; and `make new-lab`.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
BUILD=$(realpath "$BUILD")
work=$(mktemp -d /tmp/labs-test.XXXXXX)
trap 'rm -rf "$work"; rm -rf "$BUILD/labs/98-try-it"' EXIT

n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $1"; sed 's/^/# /' <<<"$2"; }
# NAME TEXT WANTED: the text must contain WANTED.
has() { if [[ $2 == *"$3"* ]]; then ok "$1"; else not_ok "$1" "wanted: $3
got: $2"; fi; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# A kit as a student has it: the labs are copies, the rest is this one.
mkdir -p "$work/labs" "$work/solutions"
ln -s "$KIT/common" "$KIT/grader" "$KIT/Makefile" "$work"
cp -r "$KIT"/labs/[0-9][0-9]-* "$work/labs"
rm -rf "$work"/labs/*/build
lab() { make --no-print-directory -C "$work/labs/02-vector-add" KIT="$KIT" KIT_BUILD="$BUILD" "$@" 2>&1; }

# ---- new-lab ----
for bad in '' foo 1-foo 21-Foo '21-foo bar' '../21-foo' 21-2d; do
    out=$(common/starters/new-lab.sh "$bad" "$work" 2>&1)
    [ $? = 2 ] && ok "new-lab refuses '$bad'" || not_ok "new-lab refuses '$bad'" "$out"
done
out=$(common/starters/new-lab.sh 98-try-it "$work" 2>&1) && ok "new-lab makes a lab" || not_ok "new-lab makes a lab" "$out"
out=$("$BUILD/bin/starters" --kit "$work" 98-try-it 2>&1) && ok "its starter is made" || not_ok "its starter is made" "$out"
out=$("$BUILD/bin/starters" --check --kit "$work" 98-try-it 2>&1) && ok "and agrees" || not_ok "and agrees" "$out"
out=$(common/starters/new-lab.sh 98-try-it "$work" 2>&1)
[ $? = 2 ] && ok "new-lab overwrites nothing" || not_ok "new-lab overwrites nothing" "$out"
out=$(common/starters/new-lab.sh 98-another "$work" 2>&1)
[ $? = 2 ] && grep -q 'the number 98 is taken' <<<"$out" && [ ! -e "$work/labs/98-another" ] && ok "new-lab refuses a number that is taken" ||
    not_ok "new-lab refuses a number that is taken" "$out"
out=$(make --no-print-directory -C "$work" BUILD="$BUILD" "$BUILD/labs/98-try-it/judge" "$BUILD/labs/98-try-it/driver.o" 2>&1) &&
    ok "its judge and driver build with no change elsewhere" || not_ok "its judge and driver build" "$out"

# ---- the checks of `starters --check` fire ----
spoil() { # NAME SED FILE SAYS
    cp "$3" "$work/kept"
    sed -i "$2" "$3"
    out=$("$BUILD/bin/starters" --check --kit "$work" 98-try-it 2>&1)
    [ $? = 1 ] && [[ $out == *"$4"* ]] && ok "$1" || not_ok "$1" "$out"
    cp "$work/kept" "$3"
}
made=$work/labs/98-try-it
spoil "a starter that was edited is found" 's/CUDA/CUDo/;$a // more' "$made/try_it.cu" "not what the solution gives"
spoil "shown code that differs is found" 's/Both arrays are/Both arrays were/' "$made/README.md" "shown code differs"
spoil "a handout without a TODO is found" 's/TODO 1:\*\*/Do:**/;s/TODO 1: /TODO one: /' "$made/README.md" "does not mention TODO 1"
spoil "a TODO without a solution is found" 's/## Questions/## Questions TODO 7/' "$made/README.md" "mentions TODO 7"
spoil "an empty hint is found" 's/"Which element is this thread.s?"/" "/' "$made/lab.yaml" "is empty"
spoil "a case without a TODO is found" '/^    todo: 1/d' "$made/lab.yaml" "serves TODO 0, which no solution has"
spoil "a TODO without a case is found" 's/^    todo: 1/    todo: 2/' "$made/lab.yaml" "no case serves TODO 1"
spoil "a case that gives the last hint away is found" '0,/^    hint: .*/s//    hint: "out[i] becomes twice in[i]"/' "$made/lab.yaml" "says what the last hint for TODO 1 says"
spoil "hints for no TODO are found" 's/todo: 1/todo: 2/' "$made/lab.yaml" "TODO 2, which no solution has"
spoil "a leaked line is found" 's|//. return cudaSuccess;|//\| int i = blockIdx.x * blockDim.x + threadIdx.x;|' "$work/solutions/98-try-it/try_it.cu" "gives away"

# ---- hints ----
out=$(lab hint); has "make hint: the first" "$out" "TODO 1, hint 1 of 3"
out=$(lab hint); has "make hint: the next" "$out" "TODO 1, hint 2 of 3"
out=$(lab hint TODO=4); has "make hint TODO=4" "$out" "TODO 4, hint 1 of 3"
out=$(lab hint TODO=9); has "make hint TODO=9 says no" "$out" "no hints for TODO 9"

# ---- make, make run ----
if ! command -v nvcc >/dev/null; then
    skip "make and make run in a lab" "nvcc is not here"
    echo "1..$n"
    exit 0
fi
out=$(lab); [ $? = 0 ] && ok "make builds the starter" || not_ok "make builds the starter" "$out"
[[ $out != *warning* ]] && ok "without a warning" || not_ok "without a warning" "$out"
out=$(lab run DEVICE=virtual)
has "make run on the starter says what is missing" "$out" "no element was ever written"
# The starters of all labs are compiled with fewer headers: check-starters.t compiles them with all.
lean=$(. grader/test/quick-kit.sh && make_lean_toolkit "$work/toolkit" && echo "${CUDA_HOME:-}")
# What the handouts show is what a student sees: HANDOUT's first block of text whose first line is `case ...`.
recorded_run() {
    awk '/^```text$/ { getline; shown = /^case /; } /^```$/ { if (shown) exit; next } shown' "$1"
}
for name in labs/[0-9][0-9]-*; do
    seen=$(make --no-print-directory -C "$work/$name" KIT="$KIT" KIT_BUILD="$BUILD" ${lean:+NVCC="$lean/bin/nvcc" CUDA_HOME="$lean"} run DEVICE=virtual 2>&1 | grep -v '^make')
    shown=$(recorded_run "$name/README.md")
    [ -n "$shown" ] || shown="a block of text that begins with a line 'case ...' in README.md"
    has "$name: the handout shows the output of make run" "$seen" "$shown"
done
# In the student's language: facts of the kit and of the lab, and what to do next.
zh() { KIT_LANG=zh-CN lab "$@"; }
out=$(zh run DEVICE=virtual); has "make run in Chinese: the result" "$out" "没有一个元素被写入过"
has "and what to do next" "$out" "下一步：TODO 1（在 vector_add.cu"
out=$(zh check); has "make check in Chinese: the cases' own texts" "$out" "$(sed -n 's/^    message: //p' labs/02-vector-add/lab.zh-CN.yaml | head -n 1)"
has "the verdict's sentence" "$out" "输出与 CPU 参考结果不同。"
has "and the score" "$out" "得分："
mv "$work/labs/02-vector-add/lab.zh-CN.yaml" "$work"
out=$(zh run DEVICE=virtual); has "a lab without texts in Chinese speaks English" "$out" "next: TODO 1"
echo 'lang: en' >"$work/labs/02-vector-add/lab.zh-CN.yaml"
out=$(zh check); has "texts that say they are in another language are refused" "$out" 'expected `lang: zh-CN`'
mv "$work/lab.zh-CN.yaml" "$work/labs/02-vector-add"
# What is next is what the cases say, whatever the comments say.
next_of() { # MISTAKE: check, hint and run of the submission, without a TODO in it
    "$BUILD/bin/labtool" broken 01-indexing "$1" >"$work/labs/01-indexing/indexing.cu"
    grep -q TODO "$work/labs/01-indexing/indexing.cu" && not_ok "$1 has comments that say TODO" ""
    out=$(lab1 check)
}
lab1() { make --no-print-directory -C "$work/labs/01-indexing" KIT="$KIT" KIT_BUILD="$BUILD" "$@" 2>&1; }
next_of stride-of-block
has "with TODO 4 wrong alone, that is next" "$out" "next: TODO 4 falls short"
out=$(lab1 hint); has "its hint is the next hint" "$out" "TODO 4, hint 1 of 3"
out=$(lab1 hint CASE=strip); has "make hint CASE=strip gives the case's own" "$out" "case strip: A pitch counts bytes"
has "and the hint of the TODO that it serves" "$out" "TODO 5, hint 1 of 3"
out=$(lab1 run DEVICE=virtual); has "make run runs the first case that falls short" "$out" "case stride (function=add_stride"
sed -i 's|^// Lab 01|// TODO 1, TODO 2, TODO 3: done. Lab 01|' "$work/labs/01-indexing/indexing.cu"
out=$(lab1 check); has "a comment that says TODO 1 changes nothing" "$out" "next: TODO 4 falls short"
"$BUILD/bin/labtool" broken 01-indexing stride-of-block | sed 's|^__global__ void map_3d_kernel|// Here was TODO 3.\n&|;s|int i = (z \* height|int i = (z * depth|' >"$work/labs/01-indexing/indexing.cu"
out=$(lab1 hint); has "make hint looks at the work as it is now" "$out" "TODO 3, hint 1 of 3"
out=$(lab1 run DEVICE=virtual CASE=nosuch); has "make run CASE=nosuch lists the cases" "$out" "the cases: line, line-257, line-empty, picture"
out=$(lab1 check CASE=nosuch); has "and make check does" "$out" "its cases: line, line-257, line-empty, picture"
cp solutions/01-indexing/indexing.cu "$work/labs/01-indexing"
out=$(lab1 check); has "when all is right, make check names the next lab" "$out" "next lab: 02-vector-add"
has "and says that hidden cases ask for more" "$out" "The hidden cases also ask: lines of one element"
out=$(lab1 hint); has "when all is right there is nothing to hint at" "$out" "All public cases are right"
# Lab 02 has one function with six TODOs: what a run shows says how far it is.
begun() { # LAST-TODO: the solution up to it
    awk -v last="$1" '/\/\/@ solution/ { n = $3; inside = 1; next } /\/\/@ stub/ { inside = 0; next } /\/\/@ end/ { inside = 0; next }
        /^ *\/\/@ / || /^ *\/\/\|/ { next } !inside || n <= last' solutions/02-vector-add/vector_add.cu >"$work/labs/02-vector-add/vector_add.cu"
}
for done in 2:3 3:4 4:5 5:6; do
    begun "${done%:*}"
    out=$(lab check); has "lab 02 up to TODO ${done%:*}: what is next" "$out" "next: TODO ${done#*:} falls short"
done
# A case in which a call fails: make run says whether the function told of it.
fails() { out=$(lab run DEVICE=virtual CASE=later-call-fails); status=$?; }
begun 2; fails; has "a call that was to fail and is never made" "$out" "the CUDA call that was to fail was never made"
begun 6; sed -i 's/    return err;/    return 0;/' "$work/labs/02-vector-add/vector_add.cu"
fails; has "a function that returns 0 after it" "$out" "a CUDA call was made to fail, and your function returned 0"
begun 5; sed -i 's/    return err;/    return (int)err;/' "$work/labs/02-vector-add/vector_add.cu"
fails; [ $status = 2 ] && [[ $out != *right:* ]] && ok "a function that leaves memory behind" || not_ok "a function that leaves memory behind" "$out"
cp solutions/02-vector-add/vector_add.cu "$work/labs/02-vector-add"
fails; [ $status = 0 ] && ok "the solution returns the error" || not_ok "the solution returns the error" "$out"
has "and make run says that it is right" "$out" "right: a CUDA call was made to fail, and your function returned its error"
out=$(lab run DEVICE=virtual); [ $? = 0 ] && ok "make run on the solution ends with 0" || not_ok "make run on the solution" "$out"
has "and says so" "$out" "right: the result is what it should be"
out=$(lab run DEVICE=virtual CASE=twice); has "make run CASE=twice" "$out" "case twice"
sed -i '/name: twice/a\    vgpu: ["--fail-at=2"]' "$work/labs/02-vector-add/lab.yaml"
out=$(lab run DEVICE=virtual CASE=twice); has "make run gives the virtual GPU the case's own options" "$out" "cudaMalloc returned cudaErrorMemoryAllocation"
sed -i '/--fail-at=2/d' "$work/labs/02-vector-add/lab.yaml"
sed -i '/name: twice/a\    devices: 2' "$work/labs/02-vector-add/lab.yaml"
out=$("$BUILD/bin/labtool" options "$work/labs/02-vector-add" twice); [ "$out" = --devices=2 ] && ok "a case that needs two devices gets two virtual ones" || not_ok "devices: 2" "$out"
printf '#!/bin/sh\necho "GPU 0: a card"\n' >"$work/nvidia-smi"; chmod +x "$work/nvidia-smi"
out=$(PATH=$work:$PATH lab run DEVICE=gpu CASE=twice); [ $? = 0 ] && ok "on one GPU make run leaves it out" || not_ok "make run with one GPU" "$out"
has "and says why" "$out" "case twice needs 2 GPUs, and 1 answers: left out"
sed -i '/devices: 2/d' "$work/labs/02-vector-add/lab.yaml"
# NVIDIA's profilers, as far as make profile knows them: they run the program where they can (here: the virtual GPU) and write down numbers of their own.
mkdir "$work/refused" "$work/allowed" "$work/both"
printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"\nexit 1\n' >"$work/refused/ncu"
cat >"$work/allowed/ncu" <<FAKE
#!/bin/bash
while [[ \$1 = --* ]]; do case \$1 in --log-file) log=\$2; shift 2 ;; --csv) shift ;; *) shift 2 ;; esac; done
"$(realpath "$BUILD")/bin/vgpu" --quiet "\$@" || exit
printf '==PROF== Connected\n"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","dram__bytes_read.sum"\n"","","","","us","Kbyte"\n' >"\$log"
printf '"0","add(const float *, int)","(64, 1, 1)","(7, 1, 1)","1,234.50","9.5"\n' >>"\$log"
FAKE
cat >"$work/both/nsys" <<FAKE
#!/bin/bash
if [ "\$1" = profile ]; then
    while [[ \$1 != ./* ]]; do shift; done
    exec "$(realpath "$BUILD")/bin/vgpu" --quiet "\$@"
fi
printf 'Processing [x]\n\nTime (%%),Total Time (ns),Instances,Name\n100.0,5000,2,"add(const float *, int)"\n\n'
printf 'Time (%%),Total Time (ns),Count,Operation\n100.0,7500,3,[CUDA memcpy Host-to-Device]\n\nTotal (MB),Count,Operation\n0.024,3,[CUDA memcpy Host-to-Device]\n'
FAKE
chmod +x "$work"/*/ncu "$work/both/nsys"
cp "$work/allowed/ncu" "$work/both"
profile() { PATH=$1:$work:$PATH lab profile DEVICE=gpu; }
table_rows() { sed -nE 's/^  (time of the launch|occupancy:[a-z ]*|read from the card.s memory|written to the card.s memory|both over the time) +[-0-9.]+ /\1 /p' <<<"$1" | tr -s ' '; }
out=$(profile "$work/refused"); [ $? = 0 ] && ok "where counters are refused, make profile goes on" || not_ok "make profile with refused counters" "$out"
has "it says so" "$out" "this GPU does not show its counters to you"
has "and how to get them" "$out" "NVreg_RestrictProfilingToAdminUsers=0"
has "and shows the virtual GPU's" "$out" "modelled by the virtual GPU, not measured"
refused=$out
out=$(profile "$work/allowed"); [ $? = 0 ] && ok "where they are not, make profile ends well" || not_ok "make profile with counters" "$out"
has "the table has what the profiler measured" "$out" "time of the launch                    1234.500 us       gpu__time_duration.sum"
has "in the units of the table" "$out" "read from the card's memory               9500 byte"
has "and says that it was measured" "$out" "by Nsight Compute"
[ "$(table_rows "$out")" = "$(table_rows "$refused")" ] && [ -n "$(table_rows "$out")" ] && ok "both tables have the same rows" || not_ok "rows of the tables" "$(diff <(table_rows "$out") <(table_rows "$refused"))"
has "what Nsight Systems would tell comes from the virtual GPU" "$out" "kernels and copies of the whole program, modelled"
mkdir "$work/no-vgpu" "$work/no-vgpu/bin"
ln -s "$(realpath "$BUILD")"/{lib,labs,include} "$work/no-vgpu"
ln -s "$(realpath "$BUILD")"/bin/* "$work/no-vgpu/bin"
rm "$work/no-vgpu/bin/vgpu"
printf '#!/bin/sh\nexit 127\n' >"$work/no-vgpu/bin/vgpu"; chmod +x "$work/no-vgpu/bin/vgpu"
out=$(PATH=$work/allowed:$work:$PATH lab profile DEVICE=gpu KIT_BUILD="$work/no-vgpu"); has "where vgpu does not start, that is said" "$out" "The virtual GPU, which would tell the rest, does not start here."
[[ $out != *"Building the kit"* ]] && ok "and nothing of the kit is built anew" || not_ok "the kit was built again" "$out"
out=$(profile "$work/both"); has "with both, copies are measured too" "$out" "[CUDA memcpy Host-to-Device]          3       7.500       24000"
[[ $out != *modelled* ]] && ok "and nothing is modelled" || not_ok "the virtual GPU spoke as well" "$out"
# Lab 19's numbers: measured where Nsight Compute shows its counters, the virtual GPU's otherwise.
mkdir -p "$work/numbers/build/virtual"
numbers() { (cd "$work/numbers" && KIT_BUILD=$BUILD "$KIT/labs/19-profiling-and-roofline/numbers.sh" gpu 2>&1); }
echo '{"launches":[{"kernel":"k()","time_us":2,"bound":"memory","counters":{"flops32":77}}]}' >"$work/numbers/build/virtual/report.json"
echo 'gain=2.5' >"$work/numbers/build/values"
out=$(numbers); has "make numbers on a card without counters says so" "$out" "Nsight Compute shows no counters here"
has "and has the virtual GPU's" "$out" "flops32                                 77"
has "and the driver's own times" "$out" "gain 2.5"
printf '"ID","Kernel Name","dram__bytes_read.sum"\n"","","byte"\n"0","k()","96"\n"1","k()","4"\n' >"$work/numbers/build/ncu.csv"
out=$(numbers); has "with counters it has those of all launches" "$out" "dram_read_bytes                        100"
has "and says where from" "$out" "measured on this card by Nsight Compute"
out=$(lab run DEVICE=virtual CASE=none); has "make run CASE=none says no" "$out" "the cases: one-block, one-less"
out=$(lab check); [ $? = 0 ] && ok "make check on the solution" || not_ok "make check on the solution" "$out"
out=$(lab profile DEVICE=virtual); [ $? = 0 ] && ok "make profile" || not_ok "make profile" "$out"
has "its table" "$out" "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
out=$(lab submit); [ -f "$work/labs/02-vector-add/02-vector-add.tar.gz" ] && ok "make submit" || not_ok "make submit" "$out"
lab clean >/dev/null; [ ! -e "$work/labs/02-vector-add/build" ] && ok "make clean" || not_ok "make clean" "build is still there"
echo "1..$n"
