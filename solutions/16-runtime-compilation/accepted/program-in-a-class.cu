// expect: pass
// A class owns the program of NVRTC and keeps the first error; a load with a log; both arrays in one piece, all arguments in a buffer.
#include "lab.h"
#include "runtime_compilation.h"

#include <map>
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

void compiled_free(Compiled *c)
{
    free(c->ptx);
    free(c->name);
    free(c->log);
    *c = Compiled();
}

// ---- From a text to PTX ----

namespace {

// A program of NVRTC that is destroyed whichever way its scope is left; keeps the first error.
class Program {
    nvrtcProgram handle = nullptr;
    nvrtcResult first;

    template <typename Size, typename Get>
    char *text(Size size, Get get)
    {
        size_t bytes = 0;
        if (note(size(handle, &bytes)) != NVRTC_SUCCESS)
            return nullptr;
        char *memory = static_cast<char *>(calloc(bytes + 1, 1));
        if (memory != nullptr && note(get(handle, memory)) != NVRTC_SUCCESS) {
            free(memory);
            memory = nullptr;
        }
        return memory;
    }

public:
    Program(const char *source, const char *file) : first(nvrtcCreateProgram(&handle, source, file, 0, nullptr, nullptr)) {}
    Program(const Program &) = delete;
    ~Program()
    {
        if (handle != nullptr)
            nvrtcDestroyProgram(&handle);
    }

    bool ok() const { return first == NVRTC_SUCCESS; }
    nvrtcResult result() const { return first; }
    nvrtcResult note(nvrtcResult now)
    {
        if (ok())
            first = now;
        return now;
    }
    void compile(const char *expression, std::vector<const char *> options)
    {
        options.insert(options.begin(), "-arch=compute_75");
        if (ok())
            note(nvrtcAddNameExpression(handle, expression));
        if (ok())
            note(nvrtcCompileProgram(handle, int(options.size()), options.data()));
    }
    char *log()
    {
        char *said = handle == nullptr ? nullptr : text(nvrtcGetProgramLogSize, nvrtcGetProgramLog);
        return said != nullptr ? said : strdup("");
    }
    char *ptx() { return ok() ? text(nvrtcGetPTXSize, nvrtcGetPTX) : nullptr; }
    char *name(const char *expression)
    {
        const char *lent = nullptr;
        return ok() && note(nvrtcGetLoweredName(handle, expression, &lent)) == NVRTC_SUCCESS ? strdup(lent) : nullptr;
    }
};

} // namespace

int source_compile(const char *source, const char *file, const char *expression, const char *const *options,
                   int n_options, Compiled *out)
{
    Program program(source, file);
    program.compile(expression, std::vector<const char *>(options, options + n_options));
    out->log = program.log();
    out->name = program.name(expression);
    out->ptx = program.ptx();
    return program.result();
}

// ---- From PTX to a kernel ----

int kernel_load(Kernel *k, const Compiled *c)
{
    char said[512] = "";
    CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {said, reinterpret_cast<void *>(sizeof said)};
    CUmodule module = nullptr;
    *k = Kernel();
    if (CUresult failed = cuModuleLoadDataEx(&module, c->ptx, 2, keys, values))
        return failed;
    CUfunction function = nullptr;
    if (CUresult failed = cuModuleGetFunction(&function, module, c->name)) {
        cuModuleUnload(module);
        return failed;
    }
    *k = {module, function};
    return CUDA_SUCCESS;
}

int kernel_unload(Kernel *k)
{
    CUmodule module = nullptr;
    std::swap(module, k->module);
    k->function = nullptr;
    return module == nullptr ? CUDA_SUCCESS : cuModuleUnload(module);
}

// ---- Launching it: one piece of memory for both arrays, and all arguments in one buffer ----

int kernel_map(const Kernel *k, const float *in, float *out, int n, float a)
{
    if (n == 0)
        return CUDA_SUCCESS;
    const size_t bytes = n * sizeof(float), half = (bytes + 255) / 256 * 256;
    CUdeviceptr both = 0;
    if (CUresult failed = cuMemAlloc(&both, 2 * half))
        return failed;
    struct {
        CUdeviceptr in, out;
        int n;
        float a;
    } packed = {both, both + half, n, a};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CUresult result = CUDA_SUCCESS;
    auto then = [&](auto action) {
        if (result == CUDA_SUCCESS)
            result = action();
    };
    const unsigned threads = 128;
    then([&] { return cuMemcpyHtoD(packed.in, in, bytes); });
    then([&] {
        return cuLaunchKernel(k->function, (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0, nullptr, nullptr, extra);
    });
    then([&] { return cuMemcpyDtoH(out, packed.out, bytes); });
    const CUresult freed = cuMemFree(both);
    return result != CUDA_SUCCESS ? result : freed;
}

// ---- A constant that is known when the kernel is compiled ----

// With EXPONENT the loop has a length that the compiler knows: it unrolls it. Without, the exponent comes in a.
static const char power_source[] = R"(
#ifdef EXPONENT
#define TURNS EXPONENT
#else
#define TURNS int(a)
#endif

extern "C" __global__ void power(const float *in, float *out, int n, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float product = 1;
    for (int turn = 0; turn < TURNS; turn++)
        product *= in[i];
    out[i] = product;
}
)";

int power(const float *in, float *out, int n, int exponent)
{
    const std::string turns = "--define-macro=EXPONENT=" + std::to_string(exponent);
    const char *option = turns.c_str();
    Compiled compiled = {};
    Kernel k = {};
    int result = source_compile(power_source, "power.cu", "power", &option, 1, &compiled);
    if (result == 0)
        result = kernel_load(&k, &compiled);
    if (result == 0)
        result = kernel_map(&k, in, out, n, 0);
    const int unloaded = kernel_unload(&k);
    compiled_free(&compiled);
    return result != 0 ? result : unloaded;
}

// ---- What has been compiled before ----

struct Cache {
    std::map<std::vector<std::string>, std::unique_ptr<Kernel>> kernels;
};

Cache *cache_create(void)
{
    return new (std::nothrow) Cache;
}

int cache_get(Cache *cache, const char *source, const char *file, const char *expression, const char *const *options,
              int n_options, const Kernel **k, char **log)
{
    *k = nullptr;
    *log = nullptr;
    std::vector<std::string> texts{source, expression};
    texts.insert(texts.end(), options, options + n_options);
    const auto found = cache->kernels.find(texts);
    if (found != cache->kernels.end()) {
        *k = found->second.get();
        return CUDA_SUCCESS;
    }
    Compiled compiled = {};
    auto made = std::make_unique<Kernel>();
    int result = source_compile(source, file, expression, options, n_options, &compiled);
    if (result == 0)
        result = kernel_load(made.get(), &compiled);
    std::swap(*log, compiled.log);
    compiled_free(&compiled);
    if (result == 0)
        *k = cache->kernels.emplace(std::move(texts), std::move(made)).first->second.get();
    return result;
}

int cache_destroy(Cache *cache)
{
    std::unique_ptr<Cache> all(cache);
    int first = CUDA_SUCCESS;
    if (all)
        for (auto &entry : all->kernels)
            if (int failed = kernel_unload(entry.second.get()))
                first = first != CUDA_SUCCESS ? first : failed;
    return first;
}
