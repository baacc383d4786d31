/* hot_avx512: hot loads and stores for x86-64-v4. */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/hot_table.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#define HOT_HANDLER hot_handler_avx512
#include "common/vgpu/exec/hot.h"
#else
IrHandler hot_handler_avx512(bool store, HotSpace space, bool wide, bool wide_addr)
{
    (void)store, (void)space, (void)wide, (void)wide_addr;
    return NULL;
}
#endif
