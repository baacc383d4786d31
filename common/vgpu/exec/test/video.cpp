// Runs forms of video instructions (a line each on standard input, as forms.sh writes them) on 1,024 rows of inputs, and prints a hash of the results
// for each opcode, or with -v for each form. video.txt has what an H100 printed; video.t compares.
//
//   nvcc -o video video.cpp -lcuda && bash forms.sh | grep -E '^(v[a-z]+[24]?|cvt\.pack)\.' | grep -v '^vote' | ./video
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

static const int rows = 1024;

static void check(CUresult r, const std::string &what)
{
    if (r == CUDA_SUCCESS)
        return;
    const char *name = "?";
    cuGetErrorName(r, &name);
    fprintf(stderr, "video: %s: %s\n", what.c_str(), name);
    exit(2);
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Thread i: %r2 %r3 %r4 are words 3i to 3i + 2 of the input; %r1 is word i of the output.
static std::string kernel(size_t i, const std::string &form)
{
    return ".visible .entry k" + std::to_string(i) +
           "(.param .u64 in, .param .u64 out) {\n"
           ".reg .b32 %r<9>; .reg .b64 %d<6>;\n"
           "ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];\n"
           "mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x; mad.lo.u32 %r5, %r6, %r7, %r5;\n"
           "mul.wide.u32 %d3, %r5, 12; add.u64 %d1, %d1, %d3; mul.wide.u32 %d3, %r5, 4; add.u64 %d2, %d2, %d3;\n"
           "ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d1+4]; ld.global.u32 %r4, [%d1+8]; mov.u32 %r1, 0;\n" +
           form + "\nst.global.u32 [%d2], %r1;\nret;\n}\n";
}

int main(int argc, char **argv)
{
    const bool each = argc > 1 && std::string(argv[1]) == "-v";
    std::map<std::string, std::vector<std::string>> groups;
    for (std::string line; std::getline(std::cin, line);)
        groups[line.substr(0, line.find('.', line.compare(0, 4, "cvt.") == 0 ? 4 : 0))].push_back(line);
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");

    static const uint32_t edges[] = {0,          1,          2,          7,          8,          0x0F,       0x1F,       0x20,       0x21,       0x7F,       0x80,
                                     0xFF,       0x100,      0x7FFF,     0x8000,     0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFF80,
                                     0xFF7F0180, 0x80FF7F01, 0x7F80807F, 0x12345678, 0xFEDCBA98, 0x00FF00FF, 0x80008000, 0x7FFF8001, 0xAAAAAAAA, 0x0180FE7F};
    std::vector<uint32_t> in(3 * rows), out(rows);
    for (uint64_t i = 0; i < 3 * rows; i++)
        in[i] = i / 3 % 3 == 0 ? (uint32_t)mix(i) : edges[mix(i) % 32];
    CUdeviceptr d_in, d_out;
    check(cuMemAlloc(&d_in, 12 * rows), "cuMemAlloc");
    check(cuMemAlloc(&d_out, 4 * rows), "cuMemAlloc");
    check(cuMemcpyHtoD(d_in, in.data(), 12 * rows), "copy in");

    for (const auto &group : groups) {
        std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
        for (size_t i = 0; i < group.second.size(); i++)
            text += kernel(i, group.second[i]);
        CUmodule module;
        check(cuModuleLoadData(&module, text.c_str()), group.first);
        uint64_t all = 0;
        for (size_t i = 0; i < group.second.size(); i++) {
            CUfunction f;
            void *args[] = {&d_in, &d_out};
            check(cuModuleGetFunction(&f, module, ("k" + std::to_string(i)).c_str()), group.second[i]);
            check(cuLaunchKernel(f, rows / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL), group.second[i]);
            check(cuMemcpyDtoH(out.data(), d_out, 4 * rows), group.second[i]);
            uint64_t hash = 0;
            for (int j = 0; j < rows; j++)
                hash = mix(hash * 3 + out[j] + 1);
            if (each)
                printf("%s %016llx\n", group.second[i].c_str(), (unsigned long long)hash);
            all = mix(all * 3 + hash + 1);
        }
        if (!each)
            printf("%s %zu %016llx\n", group.first.c_str(), group.second.size(), (unsigned long long)all);
        check(cuModuleUnload(module), group.first);
    }
    check(cuMemFree(d_in), "cuMemFree");
    check(cuMemFree(d_out), "cuMemFree");
    check(cuDevicePrimaryCtxRelease(device), "context");
    return 0;
}
