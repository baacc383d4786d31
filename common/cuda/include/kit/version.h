/* The version of CUDA whose names and numbers these headers have, and the integers of its driver. */
#ifndef KIT_VERSION_H
#define KIT_VERSION_H

#define CUDA_VERSION 13000

typedef unsigned int cuuint32_t;
typedef unsigned long cuuint64_t;

#endif
