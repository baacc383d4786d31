/* Arrays as labs know them: a name, an element type, a shape, and elements in C order (last index fastest).
 *
 * Who made an array owns its data; the struct itself owns nothing.
 */
#ifndef COMMON_LAB_ARRAY_H
#define COMMON_LAB_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* The element types: rows of types.def. */
typedef enum LabType {
    LAB_F16,
    LAB_F32,
    LAB_F64,
    LAB_I8,
    LAB_U8,
    LAB_I16,
    LAB_U16,
    LAB_I32,
    LAB_U32,
    LAB_I64,
    LAB_U64,
    LAB_N_TYPES
} LabType;

enum { LAB_DIMS_MAX = 32, LAB_NAME_MAX = 64 };

typedef struct LabArray {
    char name[LAB_NAME_MAX];
    LabType type;
    int n_dims; /* 0: one single element */
    size_t shape[LAB_DIMS_MAX];
    size_t elements; /* product of shape */
    void *data;
} LabArray;

#endif
