/* Kernels are launched by their address. */
// source: launches
#include <tuple>
template <class... P, size_t... I>
static cudaError_t style_start(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, std::tuple<P...> &values,
                               std::index_sequence<I...>)
{
    void *args[] = {(void *)&std::get<I>(values)..., nullptr};
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class... P, class... A>
static cudaError_t style_launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A &&...a)
{
    std::tuple<P...> values((P)a...);
    return style_start(kernel, grid, block, shared, stream, values, std::index_sequence_for<P...>());
}
