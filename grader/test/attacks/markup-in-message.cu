// expect: build-error
// Text in a compiler message that pages, tables, XML and terminals must take for text.
#include "vector_add.h"
#error <script>alert(1)</script> ]]> ${7*7} =cmd|' /C calc'!A0 [x](javascript:alert(1)) \textbf{x} '); DROP TABLE results; --
int vector_add(const float *, const float *, float *, int) { return 0; }
