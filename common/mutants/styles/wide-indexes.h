/* Whole numbers of kernels have 64 bits. */
// source: wide
