#include "common/base/heap_check.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <string.h>
#include <unistd.h>

void heap_check_preload(StrBuf *list)
{
#ifdef __SANITIZE_ADDRESS__
    (void)list;
#else
    Dl_info libc;
    const char *end = dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc) ? strrchr(libc.dli_fname, '/') : NULL;
    StrBuf path = {0};
    if (end)
        strbuf_printf(&path, "%.*s/libc_malloc_debug.so.0", (int)(end - libc.dli_fname), libc.dli_fname);
    if (end && !path.failed && access(path.text, R_OK) == 0)
        strbuf_printf(list, ":%s", path.text);
    strbuf_free(&path);
#endif
}
