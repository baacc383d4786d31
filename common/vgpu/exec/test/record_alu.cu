// record_alu: runs every case of alu_cases.def on a GPU, and prints the table again with the results' hashes.
//
//   nvcc -arch=sm_90 -I. -o build/record_alu common/vgpu/exec/test/record_alu.cu && build/record_alu >
//   new.def
//
// Each case becomes a kernel in PTX: a thread loads up to four sources, cuts them to the operands' widths,
// runs the one instruction, and stores the result as 64 bits. Needs a GPU of compute capability 9.0 or newer.
#include "common/vgpu/exec/test/alu_inputs.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

struct Case {
    const char *text, *dst, *sources, *inputs_name;
    AluInputs inputs;
};

static const Case cases[] = {
#define X(text, dst, sources, inputs, hash) {text, dst, sources, #inputs, INPUTS_##inputs},
#include "common/vgpu/exec/test/alu_cases.def"
#undef X
};
static const int n_cases = sizeof cases / sizeof cases[0];

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "record_alu: %s: %s\n", what, cudaGetErrorString(e));
    exit(2);
}

static const char head[] =
    ".param .u64 in, .param .u64 out)\n{\n"
    ".reg .b64 %d<12>; .reg .b32 %r<12>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %e<8>; .reg .pred "
    "%p<8>;\n"
    "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r0, %r1, %r2, %r0;\n"
    "mul.wide.u32 %d2, %r0, 32; add.u64 %d2, %d0, %d2; mul.wide.u32 %d3, %r0, 8; add.u64 %d1, %d1, %d3;\n";

// Loads source i of a type, and gives back its register.
static std::string load_source(int i, const std::string &type, std::ostringstream &ptx)
{
    const std::string n = std::to_string(i), wide = "%d" + std::to_string(4 + i),
                      word = "%r" + std::to_string(4 + i);
    ptx << "ld.global.u64 " << wide << ", [%d2+" << 8 * i << "];\n";
    if (type == "b64")
        return wide;
    if (type == "f64") {
        ptx << "mov.b64 %e" << n << ", " << wide << ";\n";
        return "%e" + n;
    }
    if (type == "b16") {
        ptx << "cvt.u16.u64 %h" << n << ", " << wide << ";\n";
        return "%h" + n;
    }
    if (type == "pred") {
        ptx << "and.b64 " << wide << ", " << wide << ", 1; setp.ne.u64 %p" << n << ", " << wide << ", 0;\n";
        return "%p" + n;
    }
    ptx << "cvt.u32.u64 " << word << ", " << wide << ";\n";
    if (type == "b32")
        return word;
    ptx << "mov.b32 %f" << n << ", " << word << ";\n";
    return "%f" + n;
}

static std::string result_register(const std::string &type)
{
    return type == "b64"    ? "%d9"
           : type == "b32"  ? "%r9"
           : type == "f32"  ? "%f7"
           : type == "f64"  ? "%e7"
           : type == "b16"  ? "%h7"
           : type == "pred" ? "%p6"
           : type == "p|q"  ? "%p6|%p7"
                            : "%r9|%p6";
}

// The result as 64 bits: p|q has q in bit 1, b32|p has p in bit 32.
static std::string widen_result(const std::string &type)
{
    if (type == "b32")
        return "cvt.u64.u32 %d9, %r9;\n";
    if (type == "f32")
        return "mov.b32 %r9, %f7; cvt.u64.u32 %d9, %r9;\n";
    if (type == "f64")
        return "mov.b64 %d9, %e7;\n";
    if (type == "b16")
        return "cvt.u64.u16 %d9, %h7;\n";
    if (type == "pred")
        return "selp.u64 %d9, 1, 0, %p6;\n";
    if (type == "p|q")
        return "selp.u64 %d9, 1, 0, %p6; selp.u64 %d10, 2, 0, %p7; or.b64 %d9, %d9, %d10;\n";
    if (type == "b32|p")
        return "selp.u64 %d10, 0x100000000, 0, %p6; cvt.u64.u32 %d9, %r9; or.b64 %d9, %d9, %d10;\n";
    return "";
}

static void write_kernel(int i, const Case &c, std::ostringstream &ptx)
{
    const std::string text = c.text;
    const size_t space = text.find(' '); // "shfl.sync.up.b32 0xffffffff": an immediate comes last
    ptx << ".visible .entry k" << i << "(" << head;
    std::string operands = result_register(c.dst), type;
    std::istringstream types(c.sources);
    for (int s = 0; types >> type; s++)
        operands += ", " + load_source(s, type, ptx);
    if (space != std::string::npos)
        operands += "," + text.substr(space);
    ptx << text.substr(0, space) << " " << operands << ";\n"
        << widen_result(c.dst) << "st.global.u64 [%d1], %d9; ret;\n}\n";
}

int main()
{
    std::ostringstream ptx;
    ptx << ".version 8.6\n.target sm_90\n.address_size 64\n";
    for (int i = 0; i < n_cases; i++)
        write_kernel(i, cases[i], ptx);
    if (getenv("PTX_ONLY")) { // to see whether ptxas takes it, without a GPU
        fputs(ptx.str().c_str(), stdout);
        return 0;
    }

    const size_t in_bytes = sizeof(uint64_t) * 4 * ALU_N_INPUTS, out_bytes = sizeof(uint64_t) * ALU_N_INPUTS;
    void *in, *out;
    cudaLibrary_t library;
    check(cudaMalloc(&in, in_bytes), "cudaMalloc");
    check(cudaMalloc(&out, out_bytes), "cudaMalloc");
    check(cudaLibraryLoadData(&library, ptx.str().c_str(), 0, 0, 0, 0, 0, 0), "cudaLibraryLoadData");
    static uint64_t rows[ALU_N_INPUTS][4], results[ALU_N_INPUTS];
    for (int i = 0; i < n_cases; i++) {
        cudaKernel_t kernel;
        void *arguments[] = {&in, &out};
        alu_make_inputs(cases[i].inputs, rows);
        check(cudaMemcpy(in, rows, in_bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
        check(cudaLibraryGetKernel(&kernel, library, ("k" + std::to_string(i)).c_str()), cases[i].text);
        check(cudaLaunchKernel((const void *)kernel, dim3(ALU_N_INPUTS / 128), dim3(128), arguments, 0, 0),
              cases[i].text);
        check(cudaMemcpy(results, out, out_bytes, cudaMemcpyDeviceToHost), cases[i].text);
        printf("X(\"%s\", \"%s\", \"%s\", %s, 0x%016llX)\n", cases[i].text, cases[i].dst, cases[i].sources,
               cases[i].inputs_name + 0, (unsigned long long)alu_hash(results, ALU_N_INPUTS));
        if (getenv("RESULTS_TO")) { // raw results, to find which lane differs
            FILE *f = fopen(getenv("RESULTS_TO"), i ? "ab" : "wb");
            fwrite(results, sizeof results, 1, f);
            fclose(f);
        }
    }
    return 0;
}
