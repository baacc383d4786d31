/* Constants are copied to their address, by the default stream. */
template <class T> static cudaError_t style_symbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0)
{
    void *p = NULL;
    cudaError_t err = cudaGetSymbolAddress(&p, symbol);
    return err == cudaSuccess ? cudaMemcpy((char *)p + offset, from, bytes, cudaMemcpyHostToDevice) : err;
}
#define cudaMemcpyToSymbol style_symbol
