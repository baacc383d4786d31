#!/bin/bash
# Graphs and stream capture (graphs.cu), with both kinds of default stream; what reports and time lines say of graphs.
here=$(dirname "$0")
. "$here/tap.sh"
export DOT_FILE=$scratch/graph.dot

run_one() { # NAME nvcc-options
    local name=$1
    shift
    build_cu "$name" -lineinfo -g "$@" "$here/graphs.cu" || return
    "$vgpu" --quiet --report="$scratch/$name.json" "$scratch/$name" >"$scratch/$name.out" 2>"$scratch/$name.err"
    ok $? "$name: exits 0" "$scratch/$name.err"
    grep '^not ok' "$scratch/$name.out" >"$scratch/$name.bad"
    [ ! -s "$scratch/$name.bad" ] && grep -q '^1\.\.' "$scratch/$name.out"
    ok $? "$name: $(grep -c '^ok' "$scratch/$name.out") checks hold" "$scratch/$name.bad"
    same "$name: no findings" 0 "$(jq '[.findings[] | select(.advice | not)] | length' "$scratch/$name.json")"
}
run_one legacy
run_one per_thread --default-stream per-thread
has "the text for Graphviz names kernels and edges" "$DOT_FILE" 'n0 -> n1'
has "and shows child graphs" "$DOT_FILE" 'cluster_n2_'

cat >"$scratch/lines.cu" <<'END'
#include <cuda_runtime.h>
__global__ void slow(float *p) { for (int i = 0; i < 2000; i++) p[threadIdx.x] = p[threadIdx.x] * 2 + 1; }
__global__ void far(float *p) { p[64] = 1; }
int main(int argc, char **)
{
    float *a, *b;
    cudaStream_t s, t;
    cudaEvent_t e, f;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaMalloc(&a, 256), cudaMalloc(&b, 256);
    cudaMemset(a, 0, 256), cudaMemset(b, 0, 256);
    cudaStreamCreate(&s), cudaStreamCreate(&t);
    cudaEventCreate(&e), cudaEventCreate(&f);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    slow<<<1, 64, 0, s>>>(a);
    slow<<<1, 64, 0, t>>>(b);
    cudaEventRecord(f, t);
    cudaStreamWaitEvent(s, f, 0);
    if (argc > 1)
        far<<<1, 1, 0, s>>>(a); // the line that findings name
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaFree(a), cudaFree(b);
}
END
build_cu lines -lineinfo -g "$scratch/lines.cu" || finish
"$vgpu" --quiet --timeline="$scratch/time.json" --report="$scratch/lines.json" "$scratch/lines" >/dev/null
same "branches of a graph lie side by side on the time line" true "$(jq '[.traceEvents[] | select(.cat == "kernel")] | length == 2 and
    .[0].ts < .[1].ts + .[1].dur and .[1].ts < .[0].ts + .[0].dur' "$scratch/time.json")"
same "their launches carry the lines of the capture" "[18,19]" "$(jq -c '[.traceEvents[] | select(.cat == "kernel") | .args.line]' "$scratch/time.json")"
"$vgpu" --quiet --report="$scratch/bad.json" "$scratch/lines" far >/dev/null 2>&1
same "so does a finding" 'out-of-bounds 23' "$(jq -r '.findings[] | select(.kind == "out-of-bounds") | "\(.kind) \(.site.line)"' "$scratch/bad.json")"
finish
