/* refused: the entry points that the virtual GPU does not have, and those that mean nothing on it.
 *
 * They are made from api.def without the driver's header, since their parameters do not matter: arguments are
 * the caller's business in the calling convention of every machine that runs nvcc's programs. For the same
 * reason the table of addresses for cuGetProcAddress is here.
 */
enum cudaError_enum { RESULT_OF_CUDA_H = 0 };

#include "common/vgpu/cuda/refused.h"

#define DEFINE_SUPPORTED(name)
#define DEFINE_ACCEPTED(name)                                                                                \
    int name(void);                                                                                          \
    __attribute__((visibility("default"))) int name(void)                                                    \
    {                                                                                                        \
        return (int)api_accept();                                                                            \
    }
#define DEFINE_REFUSED(name)                                                                                 \
    int name(void);                                                                                          \
    __attribute__((visibility("default"))) int name(void)                                                    \
    {                                                                                                        \
        return (int)api_refuse(#name);                                                                       \
    }

#define X(name, base, version, own_stream, support, fail) DEFINE_##support(name)
#include "common/vgpu/cuda/api.def"
#undef X

/* Only their addresses matter here. */
#define X(name, ...) int name(void);
#include "common/vgpu/cuda/api.def"
#undef X

ApiFunction *const api_functions[] = {
#define X(name, ...) name,
#include "common/vgpu/cuda/api.def"
#undef X
};
