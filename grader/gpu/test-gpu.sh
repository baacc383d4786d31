#!/bin/bash
# The kit on a real GPU: ceilings, every submission of every lab, compute-sanitizer, the ladders, the profiler's counters.
#
#   test-gpu OUT [PART...]     PARTs: ceilings ladders counters profile sanitizer submissions (all)
#
# LABS="NN-name ..." takes only those labs' submissions. Stands in the bundle that `make gpu-bundle` makes, and needs gcc, make and nvcc beside it. OUT gets
#   results.json       machine, and how many of each part were as expected
#   submissions.tsv    lab, submission, verdict, score: solutions and accepted variants, which must get 100 points
#   sanitizer.tsv      lab, broken submission, tool, reports, the first of them; the tool `plain` is none, and 1 says that the run showed something wrong
#   ladders.tsv large.tsv      the lines of ladder.h; large.tsv for arrays that no cache holds
#   goals.tsv                  whether the best versions reach their share of the ceilings (common/ladder/goals.sh)
#   ceilings.tsv counters/*.csv
#   profile.txt                what `make profile` shows of one solution
# Ends with "N passed, N failed, N skipped"; the exit status is 1 when one failed.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
out=$1
shift
parts=${*:-ceilings ladders counters profile sanitizer submissions}
export CUDA_HOME=${CUDA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")}
export LD_LIBRARY_PATH=$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
processors=$(nproc)
mkdir -p "$out"
out=$(readlink -f "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here" || exit 2
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
skip() { skipped=$((skipped + 1)); echo "skip $*"; }
part() { [[ " $parts " = *" $1 "* ]] && echo "== $1 ($SECONDS s)"; }
command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1 || { echo "test-gpu: no GPU answers on this machine (nvidia-smi -L)" >&2; exit 2; }
sources_of() { build/bin/labtool files "labs/$1" | grep '\.cu$'; }
# broken/no-guard.cu -> no-guard, broken/half-mended/smooth.cu -> half-mended-smooth
name_of() { local s=${1#*/broken/}; s=${s%.cu}; [ "$s" != "${1%.cu}" ] || s=$(basename "$s"); echo "${s//\//-}"; }
labs=${LABS:-$(cd solutions && echo [0-9][0-9]-*)}

if part ceilings; then
    if nvcc -O3 -arch=native -o "$work/ceilings" ceilings.cu && "$work/ceilings" >"$out/ceilings.tsv"; then ok; else bad "the ceilings"; fi
    cat "$out/ceilings.tsv"
fi

gpus=$(nvidia-smi -L | grep -c '^GPU ')
# LAB CASE: how many devices the case needs.
devices_of() {
    local n
    n=$(build/bin/labtool options "labs/$1" "$2" 2>/dev/null | sed -n 's/^--devices=//p')
    echo "${n:-1}"
}

# The programs that the sanitizer and nothing else needs, with the inputs of one public case each.
build_broken() {
    local lab=$1 file=$2 name place sources wanted
    wanted=$(sed -n 's/^\/\/ case: *\([a-z0-9-]*\).*/\1/p' "$file" | head -1)
    [ "$(devices_of "$lab" "$wanted")" -le "$gpus" ] || return 0 # left out, as the grader does
    mapfile -t sources < <(sources_of "$lab")
    name=$(name_of "$file")
    mkdir -p "$work/san/$lab/$name/src"
    (cd "solutions/$lab" && cp "${sources[@]}" "$work/san/$lab/$name/src/")
    place=$(basename "$file") # a file of a folder takes the place of its own name, another one that of the first
    [[ $file = */broken/*/* ]] || place=${sources[0]}
    cp "$file" "$work/san/$lab/$name/src/$place"
    nvcc -arch="${GPU_ARCH:-native}" -lineinfo -g -Ilabs/"$lab" -Icommon/lab -cudart shared -o "$work/san/$lab/$name/program" \
        "$work/san/$lab/$name/src/"*.cu "build/labs/$lab/driver.o" build/lib/liblab.a >"$work/san/$lab/$name/log" 2>&1 || return 0
    local fields seed rtol atol nan params
    fields=$(build/bin/labtool case "labs/$lab" "$wanted" 2>/dev/null || build/bin/labtool case "labs/$lab" '')
    IFS=$'\t' read -r _ seed rtol atol nan params <<<"$fields"
    mkdir -p "$work/san/$lab/$name/case"
    printf 'make\t%s\t%s%s\n' "$work/san/$lab/$name/case" "$seed" "${params:+$'\t'$params}" | "build/labs/$lab/judge" --text
    printf 'check\t%s\t%s\t%s\t%s\t%s%s\n' "$work/san/$lab/$name/case-plain" "$seed" "$rtol" "$atol" "$nan" "${params:+$'\t'$params}" \
        >"$work/san/$lab/$name/case/check"
}
# Without any tool: what a student sees who has a GPU and nothing else.
plain_run() {
    local said status verdict
    said=$(timeout 60 "$work/san/$1/$2/program" "$3" 2>&1)
    status=$?
    verdict=$(build/labs/"$1"/judge --text <"$3/check" | head -1)
    [ "$status" = 0 ] || verdict="status $status: $(grep -v '^ *$' <<<"$said" | head -1)"
    printf '%s\t%s\tplain\t%s\t%s\n' "$1" "$2" "$([ -z "$verdict" ] && echo 0 || echo 1)" "$verdict"
}
sanitize_one() {
    local lab=$1 name=$2 tool=$3 copy=$work/san/$1/$2/case-$3
    [ -x "$work/san/$lab/$name/program" ] || return 0
    cp -r "$work/san/$lab/$name/case" "$copy"
    if [ "$tool" = plain ]; then
        plain_run "$lab" "$name" "$copy"
        return
    fi
    printf '%s\t%s\t%s\n' "$lab" "$name" "$(./sanitize.sh "$tool" "$work/san/$lab/$name/program" "$copy")"
}
export -f build_broken sanitize_one plain_run sources_of name_of devices_of
export work gpus

if part sanitizer; then
    if command -v compute-sanitizer >/dev/null; then
        for lab in $labs; do for file in solutions/"$lab"/broken/*.cu solutions/"$lab"/broken/*/*.cu "solutions/$lab/$(sources_of "$lab" | head -n 1)"; do
            [ ! -e "$file" ] || printf '%s\0%s\0' "$lab" "$file"
        done; done | xargs -0 -n2 -P "$processors" bash -c 'build_broken "$@"' _
        echo "built ($SECONDS s)"
        for program in "$work"/san/*/*/program; do for tool in plain memcheck racecheck initcheck synccheck; do
            printf '%s\0%s\0%s\0' "$(basename "$(dirname "$(dirname "$program")")")" "$(basename "$(dirname "$program")")" "$tool"
        done; done | xargs -0 -n3 -P "$((processors / 2))" bash -c 'sanitize_one "$@"' _ >"$out/sanitizer.tsv"
        sort -o "$out/sanitizer.tsv" "$out/sanitizer.tsv"
        # Controls: each tool must report something among all the broken ones.
        for tool in memcheck racecheck initcheck synccheck; do
            if awk -F'\t' -v t=$tool '$3 == t && $4 > 0 { found = 1 } END { exit !found }' "$out/sanitizer.tsv"; then ok; else bad "$tool reported nothing at all"; fi
        done
    else
        skip "compute-sanitizer is not here"
    fi
fi

build_ladder() {
    local lab=$1 more=()
    grep -q WITH_CUBLAS "solutions/$lab/ladder.cu" && more=(-DWITH_CUBLAS -lcublas)
    nvcc -O3 -arch=native -lineinfo -cudart shared -I. -Icommon/lab -Ilabs/"$lab" -Isolutions/"$lab" -o "$work/ladders/$lab" \
        "solutions/$lab/ladder.cu" common/ladder/ladder.c common/lab/cuda_check.c "${more[@]}"
}
export -f build_ladder
build_ladders() {
    local lab
    mkdir -p "$work/ladders"
    for lab in solutions/*/ladder.cu; do basename "$(dirname "$lab")"; done | xargs -P "$processors" -I{} bash -c 'build_ladder "$1"' _ {}
}
# What size is too large for any cache: elements, or the length of a side (the ladder's file says which).
large_of() { sed -n 's/^#define LARGE_SIZE *\(.*\)/echo $((\1))/p' "solutions/$1/ladder.cu" | bash; }

if part ladders || [[ " $parts " = *" counters "* ]]; then build_ladders; fi
if [[ " $parts " = *" ladders "* ]]; then
    : >"$out/ladders.tsv"
    : >"$out/large.tsv"
    for ladder in "$work"/ladders/*; do
        lab=$(basename "$ladder")
        if "$ladder" --repeats=21 --flush >>"$out/ladders.tsv"; then ok; else bad "$lab: the ladder"; fi
        large=$(large_of "$lab")
        [ -n "$large" ] || continue
        if "$ladder" --repeats=11 --flush --size="$large" >>"$out/large.tsv"; then ok; else bad "$lab: the ladder for $large"; fi
    done
    cat "$out/ladders.tsv" "$out/large.tsv"
    if [ -s "$out/ceilings.tsv" ]; then
        common/ladder/goals.sh "$out/large.tsv" "$out/ceilings.tsv" >"$out/goals.tsv"
        while IFS=$'\t' read -r met what; do
            if [ "$met" = met ]; then ok; else bad "the goal of $what"; fi
        done <"$out/goals.tsv"
        cat "$out/goals.tsv"
    fi
fi

if part counters; then
    metrics=smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,dram__bytes_read.sum,dram__bytes_write.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,sm__warps_active.avg.pct_of_peak_sustained_active
    metrics+=,gpu__time_duration.sum,smsp__thread_inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
    if command -v ncu >/dev/null; then
        mkdir -p "$out/counters"
        for ladder in "$work"/ladders/*; do
            if timeout 120 ncu --clock-control none --csv --page raw --metrics "$metrics" "$ladder" >"$work/ncu.csv" 2>"$work/ncu.err"; then
                grep '^"' "$work/ncu.csv" >"$out/counters/$(basename "$ladder").csv"
                ok
            else
                skip "ncu read no counters of $(basename "$ladder")"
            fi
        done
        (cd "$out/counters" && for f in *.csv; do echo "#### $f"; cat "$f"; done) >"$out/counters.txt"
    else
        skip "ncu is not here"
    fi
fi

# `make profile` of the first lab with a ladder: its solution, as lab.mk builds it, under the real profilers.
profile_one() {
    local lab=$1 folder=$work/profile files program
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    program=build/$(basename "${files[0]}" .cu)
    mkdir -p "$folder/build"
    cp "labs/$lab"/* "$folder"
    (cd "solutions/$lab" && cp "${files[@]}" "$folder")
    cd "$folder" || return 2
    nvcc -arch=compute_75 -lineinfo -g -I. -I"$here/common/lab" -cudart shared -o "$program" ./*.cu "$here/build/labs/$lab/driver.o" "$here/build/lib/liblab.a" &&
        KIT_BUILD=$here/build LAB=$lab PROGRAM=$program FILES=${files[*]} DEVICE=gpu "$here/common/lab/run-case.sh" profile
}

# What the tables must have when both profilers told theirs.
profile_rows() {
    local row
    for row in 'kernels, measured on ' 'time of the launch .* us  *gpu__time_duration.sum' 'sectors a load .* sector  *l1tex__average' 'read from the card.* byte  *dram__bytes_read.sum' \
        'both over the time  *[0-9.]* GB/s' 'what limits it  *(memory|compute|latency)' 'right: the result is what it should be'; do
        grep -Eq "$row" "$out/profile.txt" || { bad "make profile: no line '$row'"; return; }
    done
    ok
    if ! grep -q 'Nsight Systems (nsys) is not here' "$out/profile.txt"; then
        if grep -q 'measured by Nsight Systems' "$out/profile.txt"; then ok; else bad "make profile: Nsight Systems"; fi
    else
        skip "nsys is not here"
    fi
}

if part profile; then
    lab=$(basename "$(dirname "$(find solutions -name ladder.cu | sort | head -n 1)")")
    (profile_one "$lab") >"$out/profile.txt" 2>&1
    if grep -q 'ERR_NVGPUCTRPERM\|Nsight Compute (ncu) is not here' "$out/profile.txt"; then skip "Nsight Compute shows no counters here"; else profile_rows; fi
    cp "$work"/profile/build/{ncu,nsys}.{csv,txt} "$out" 2>/dev/null
    cat "$out/profile.txt"
fi

# The solution and the accepted variants, each a student: grade sees what it would see of a class. Every case of these is run; the
# broken ones have had theirs in the part before.
class() {
    local lab=$1 files file student folder
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    for file in solution solutions/"$lab"/accepted/*; do
        [ "$file" = solution ] || [ -e "$file" ] || continue
        student=solution
        [ "$file" = solution ] || student=accepted-$(basename "$file" .cu)
        folder=$work/class/$student/$lab
        mkdir -p "$folder"
        (cd "solutions/$lab" && cp "${files[@]}" "$folder/")
        if [ -d "$file" ]; then cp "$file"/* "$folder/"
        elif [ -e "$file" ]; then cp "$file" "$folder/${files[0]}"; fi
    done
}
value_of() { sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -1; }

check_submission() {
    local lab=$1 student=$2 verdict score
    verdict=$(value_of "$3" verdict)
    score=$(value_of "$3" score)
    printf '%s\t%s\t%s\t%s\n' "$lab" "$student" "$verdict" "$score" >>"$out/submissions.tsv"
    if [ "${score%.0}" = 100 ]; then ok; else bad "$lab $student: $score points, $verdict"; fi
}

if part submissions; then
    : >"$out/submissions.tsv"
    weak=--allow-weak-sandbox
    command -v bwrap >/dev/null || PATH=$PATH:$here/bin
    build/bin/grade doctor >"$out/doctor.txt" 2>&1
    for lab in $labs; do class "$lab"; done
    build/bin/grade run --device gpu $weak --jobs "$processors" --seed 1 --submissions "$work/class" --out "$work/graded" \
        >"$work/grade.log" 2>&1
    [ $? -lt 2 ] || { bad "grade run"; tail -5 "$work/grade.log"; }
    for lab in $labs; do
        for result in "$work"/graded/results/*/"$lab"/result.json; do
            [ -e "$result" ] || continue
            student=$(basename "$(dirname "$(dirname "$result")")")
            [ -e "$work/class/$student/$lab" ] || continue
            check_submission "$lab" "$student" "$result"
        done
        echo "$lab ($SECONDS s)"
    done
    first=$(find "$work/graded" -name result.json | sort | head -1)
    [ -z "$first" ] || sed -n '/"sandbox"/,/]/p' "$first" >"$out/sandbox.txt"
fi

card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)
printf '{"date":"%s","card":"%s","driver":"%s","toolkit":"%s","parts":"%s","passed":%d,"failed":%d,"skipped":%d,"seconds":%d}\n' "$(date -u +%F)" \
    "${card%%,*}" "${card##*, }" "$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" "$parts" "$passed" "$failed" "$skipped" "$SECONDS" | tee "$out/results.json"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
