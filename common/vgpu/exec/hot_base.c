/* hot_base: hot loads and stores for any machine. */
#define HOT_HANDLER hot_handler_base
#include "common/vgpu/exec/hot.h"
