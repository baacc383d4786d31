/* libstdc++'s header of this name, which <memory> includes, says __attribute__((__noinline__)): the word must be no macro there. */
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
