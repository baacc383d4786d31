/* refused: the entry points that the virtual GPU does not have, and those that mean nothing on it.
 *
 * They are made from api.def without the runtime's header, since their parameters do not matter: arguments
 * are the caller's business in the calling convention of every machine that runs nvcc's programs.
 */
#include "common/vgpu/cudart/refused.h"

#define DEFINE_SUPPORTED(name)
#define DEFINE_ACCEPTED(name)                                                                                \
    int name(void);                                                                                          \
    __attribute__((visibility("default"))) int name(void)                                                    \
    {                                                                                                        \
        return api_accept();                                                                                 \
    }
#define DEFINE_REFUSED(name)                                                                                 \
    int name(void);                                                                                          \
    __attribute__((visibility("default"))) int name(void)                                                    \
    {                                                                                                        \
        return api_refuse(#name);                                                                            \
    }

#define X(name, support, fail) DEFINE_##support(name)
#include "common/vgpu/cudart/api.def"
#undef X
