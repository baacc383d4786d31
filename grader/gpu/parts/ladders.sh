# shellcheck shell=bash disable=SC2154
# What is timed, and has the card and the processors to itself: test-gpu's parts `ceilings`, `ladders` and `counters`.
# ceilings.tsv; ladders.tsv and large.tsv: the lines of ladder.h, large.tsv for arrays that no cache holds; goals.tsv: whether the best versions reach their
# share of the ceilings (common/ladder/goals.sh); counters/*.csv: what Nsight Compute counts of the ladders at their default sizes.

REPEATS=11
REPEATS_LARGE=7

build_ceilings() { nvcc -O3 -arch=native -o "$work/ceilings" ceilings.cu; }
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

part_ceilings() {
    if [ -x "$work/ceilings" ] && "$work/ceilings" >"$out/ceilings.tsv"; then ok; else bad "the ceilings"; fi
    cat "$out/ceilings.tsv"
}

part_ladders() {
    local lab ladder large met what
    : >"$out/ladders.tsv"
    : >"$out/large.tsv"
    for ladder in "$work"/ladders/*; do
        lab=$(basename "$ladder")
        if "$ladder" --repeats=$REPEATS --flush >>"$out/ladders.tsv"; then ok; else bad "$lab: the ladder"; fi
        large=$(large_of "$lab")
        [ -n "$large" ] || continue
        if "$ladder" --repeats=$REPEATS_LARGE --flush --size="$large" >>"$out/large.tsv"; then ok; else bad "$lab: the ladder for $large"; fi
    done
    cat "$out/ladders.tsv" "$out/large.tsv"
    [ -s "$out/ceilings.tsv" ] || return 0
    common/ladder/goals.sh "$out/large.tsv" "$out/ceilings.tsv" >"$out/goals.tsv"
    while IFS=$'\t' read -r met what; do
        if [ "$met" = met ]; then ok; else bad "the goal of $what"; fi
    done <"$out/goals.tsv"
    cat "$out/goals.tsv"
}

part_counters() {
    local ladder metrics
    metrics=smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,dram__bytes_read.sum,dram__bytes_write.sum
    metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,sm__warps_active.avg.pct_of_peak_sustained_active
    metrics+=,gpu__time_duration.sum,smsp__thread_inst_executed.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
    if ! command -v ncu >/dev/null; then
        skip "ncu is not here"
        return
    fi
    mkdir -p "$out/counters"
    # One profiler for all: its own start takes longer than most ladders. Every line names its process, which is the ladder.
    timeout 200 ncu --target-processes all --clock-control none --csv --page raw --metrics "$metrics" \
        bash -c 'for ladder in "$0"/*; do "$ladder"; done' "$work/ladders" >"$work/ncu.csv" 2>"$work/ncu.err"
    grep '^"' "$work/ncu.csv" | awk -v to="$out/counters" '
        /^"ID",/ { head = $0; next } # once, or once for each process
        /^"",/ { units = $0; next }
        { split($0, field, /","/); file = to "/" field[3] ".csv" }
        !(file in seen) { seen[file] = 1; print head "\n" units >file }
        { print >file }'
    for ladder in "$work"/ladders/*; do
        if [ -s "$out/counters/$(basename "$ladder").csv" ]; then ok; else skip "ncu read no counters of $(basename "$ladder")"; fi
    done
    (cd "$out/counters" && for f in *.csv; do echo "#### $f"; cat "$f"; done) >"$out/counters.txt"
}
