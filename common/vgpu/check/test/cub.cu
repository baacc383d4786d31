// What CUB and Thrust compute, compared with the host's own: prints "right", or what is wrong.
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

typedef std::vector<unsigned> Host;
typedef thrust::device_vector<unsigned> Device;

static bool all_right = true;

static void expect(const char *what, const Host &wanted, const Device &got)
{
    Host there(wanted.size());
    cudaMemcpy(there.data(), thrust::raw_pointer_cast(got.data()), wanted.size() * sizeof(unsigned),
               cudaMemcpyDeviceToHost);
    if (there == wanted)
        return;
    printf("wrong: %s\n", what);
    all_right = false;
}

static void test_sort_and_unique(const Host &input)
{
    Device keys(input.begin(), input.end());
    Host wanted = input;
    thrust::sort(keys.begin(), keys.end());
    std::sort(wanted.begin(), wanted.end());
    expect("sort", wanted, keys);

    for (unsigned &value : wanted)
        value >>= 4; // many are alike now
    Device runs(wanted.begin(), wanted.end());
    size_t n = thrust::unique(runs.begin(), runs.end()) - runs.begin();
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    if (n == wanted.size())
        expect("unique", wanted, runs);
    else
        expect("length of unique", Host(1, (unsigned)wanted.size()), Device(1, (unsigned)n));
}

static void test_scan_and_reduce(const Host &input)
{
    Device values(input.begin(), input.end()), sums(input.size());
    Host wanted(input.size());
    thrust::inclusive_scan(values.begin(), values.end(), sums.begin());
    std::partial_sum(input.begin(), input.end(), wanted.begin());
    expect("scan", wanted, sums);
    unsigned sum = thrust::reduce(values.begin(), values.end(), 0u);
    expect("reduce", Host(1, wanted.back()), Device(1, sum));
}

static void test_radix_sort(const Host &input)
{
    Device keys(input.begin(), input.end()), sorted(input.size());
    const unsigned *in = thrust::raw_pointer_cast(keys.data());
    unsigned *out = thrust::raw_pointer_cast(sorted.data());
    void *scratch = nullptr;
    size_t bytes = 0;
    cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, (int)input.size());
    cudaMalloc(&scratch, bytes);
    cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, (int)input.size());
    cudaFree(scratch);
    Host wanted = input;
    std::sort(wanted.begin(), wanted.end());
    expect("radix sort", wanted, sorted);
}

int main(int argc, char **argv)
{
    Host input(argc > 1 ? strtoul(argv[1], nullptr, 10) : 30000);
    unsigned state = 1;
    for (unsigned &value : input) {
        state = state * 1664525u + 1013904223u;
        value = state >> 8;
    }
    test_sort_and_unique(input);
    test_scan_and_reduce(input);
    test_radix_sort(input);
    if (all_right)
        puts("right");
    return !all_right;
}
