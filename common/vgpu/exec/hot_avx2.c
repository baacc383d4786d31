/* hot_avx2: hot loads and stores for x86-64-v3. */
#include "common/vgpu/exec/access.h"
#include "common/vgpu/exec/hot_table.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#define HOT_HANDLER hot_handler_avx2
#include "common/vgpu/exec/hot.h"
#else
IrHandler hot_handler_avx2(bool store, HotSpace space, bool wide, bool wide_addr)
{
    (void)store, (void)space, (void)wide, (void)wide_addr;
    return NULL;
}
#endif
