# shellcheck shell=bash disable=SC2154
# What the start of a program on the card takes, one after the other and many at a time: test-gpu's part `start`. The other parts start thousands.
# start.tsv: programs at a time, programs, milliseconds by the clock for each, milliseconds of processor time for each.

build_start() {
    echo 'int main() { return cudaFree(0) != cudaSuccess; }' >"$work/start.cu"
    nvcc -arch=native -cudart shared -o "$work/start" "$work/start.cu"
}

part_start() {
    local at_a_time n=16 began before after
    processor_ms() { awk '{ print ($16 + $17) * 10 }' /proc/$$/stat; } # of the children that were waited for, 100 ticks a second
    : >"$out/start.tsv"
    for at_a_time in 1 4 "$processors"; do
        began=$(date +%s%N) before=$(processor_ms)
        if seq $n | xargs -P "$at_a_time" -I{} "$work/start"; then ok; else bad "a program that only starts ($at_a_time at a time)"; fi
        after=$(processor_ms)
        printf '%d\t%d\t%d\t%d\n' "$at_a_time" $n $((($(date +%s%N) - began) / 1000000 / n)) $(((after - before) / n)) >>"$out/start.tsv"
    done
    cat "$out/start.tsv"
}
