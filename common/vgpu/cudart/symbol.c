/* symbol: variables of the device by the address of their shadow on the host. */
#include "common/vgpu/cudart/cudart_internal.h"

cudaError_t symbol_find(Call *call, const void *symbol, uint64_t *address, size_t *bytes)
{
    Variable *v = variable_of(symbol);
    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t error = variable_load(call, v, address);
    *bytes = v->bytes;
    return error;
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    uint64_t at = 0;
    size_t bytes;
    ENTER(API_cudaGetSymbolAddress);
    if (!address)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = symbol_find(&call, symbol, &at, &bytes);
    if (error == cudaSuccess)
        *address = (void *)(uintptr_t)at;
    return call_leave(&call, error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    uint64_t at;
    size_t n = 0;
    ENTER(API_cudaGetSymbolSize);
    if (!bytes)
        return call_leave(&call, cudaErrorInvalidValue);
    cudaError_t error = symbol_find(&call, symbol, &at, &n);
    if (error == cudaSuccess)
        *bytes = n;
    return call_leave(&call, error);
}

/* Whole words from a place between two words: an offset that counts elements. */
static void advise_offset(Call *call, size_t bytes, size_t count, size_t offset)
{
    const size_t word = 4;
    if (offset % word == 0 || count % word != 0 || bytes % word != 0)
        return;
    call_site(call);
    call_advise(call, NULL, "a copy of whole words to or from a variable, at an offset between two words",
                "the offset counts bytes, as the length does: was it given in elements (without * sizeof)?");
}

static void note_size(Call *call, size_t bytes, size_t count, size_t offset)
{
    StrBuf text = {0};
    strbuf_grouped(&text, count);
    strbuf_puts(&text, " bytes");
    if (offset > 0) {
        strbuf_puts(&text, " from byte ");
        strbuf_grouped(&text, offset);
    }
    strbuf_puts(&text, "; the variable has ");
    strbuf_grouped(&text, bytes);
    if (!text.failed)
        snprintf(call->why, sizeof call->why, "%s", text.text);
    strbuf_free(&text);
}

/* One copy to or from a symbol: `other` is the side that is no symbol. */
static cudaError_t copy_symbol(Api api, const void *symbol, const void *other, size_t count, size_t offset,
                               enum cudaMemcpyKind kind, bool to_symbol, cudaStream_t stream, bool async)
{
    uint64_t at = 0;
    size_t bytes = 0;
    ENTER(api);
    enum cudaMemcpyKind host_kind = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != host_kind && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return call_leave(&call, cudaErrorInvalidMemcpyDirection);
    cudaError_t error = symbol_find(&call, symbol, &at, &bytes);
    if (error != cudaSuccess)
        return call_leave(&call, error);
    if (count > bytes || offset > bytes - count) {
        note_size(&call, bytes, count, offset);
        return call_leave(&call, cudaErrorInvalidValue);
    }
    advise_offset(&call, bytes, count, offset);
    void *inside = (void *)(uintptr_t)(at + offset);
    CopyShape shape = {.dst_pitch = count, .src_pitch = count, .width = count, .height = 1, .depth = 1};
    error = to_symbol ? copy_any(&call, inside, other, &shape, kind, stream, async)
                      : copy_any(&call, (void *)(uintptr_t)other, inside, &shape, kind, stream, async);
    return call_leave(&call, error);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return copy_symbol(API_cudaMemcpyToSymbol, symbol, src, count, offset, kind, true, NULL, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(API_cudaMemcpyToSymbolAsync, symbol, src, count, offset, kind, true, stream, true);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return copy_symbol(API_cudaMemcpyFromSymbol, symbol, dst, count, offset, kind, false, NULL, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_symbol(API_cudaMemcpyFromSymbolAsync, symbol, dst, count, offset, kind, false, stream, true);
}
