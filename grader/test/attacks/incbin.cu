// expect: build-error
// Takes the lab's hidden cases in by the assembler.
#include "vector_add.h"
asm(".section .rodata\nstolen: .incbin \"/kit/solutions/02-vector-add/hidden.yaml\"\n.text\n");
int vector_add(const float *, const float *, float *, int) { return 0; }
