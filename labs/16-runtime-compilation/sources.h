/* Lab 16: the sources that the cases compile, as the driver hands them to you. */
#ifndef SOURCES_H
#define SOURCES_H

/* extern "C": the name in the module is the name in the source. */
static const char scale_source[] = "extern \"C\" __global__ void scale(const float *in, float *out, int n, float a)\n"
                                   "{\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n)\n"
                                   "        out[i] = a * in[i];\n"
                                   "}\n";

/* Another kernel of the same name. */
static const char negative_source[] = "extern \"C\" __global__ void scale(const float *in, float *out, int n, float a)\n"
                                      "{\n"
                                      "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                      "    if (i < n)\n"
                                      "        out[i] = -a * in[i];\n"
                                      "}\n";

/* A template in a namespace: its name in the module is another one for each TIMES. */
static const char shift_source[] = "namespace lab {\n"
                                   "template <int TIMES>\n"
                                   "__global__ void shift(const float *in, float *out, int n, float a)\n"
                                   "{\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n)\n"
                                   "        out[i] = in[i] + TIMES * a;\n"
                                   "}\n"
                                   "}\n";

/* Needs -DFACTOR=... */
static const char blend_source[] = "__global__ void blend(const float *in, float *out, int n, float a)\n"
                                   "{\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n)\n"
                                   "        out[i] = FACTOR * in[i] + a;\n"
                                   "}\n";

/* Needs a header of the toolkit. */
static const char halves_source[] = "#include <cuda_fp16.h>\n"
                                    "__global__ void halves(const float *in, float *out, int n, float a)\n"
                                    "{\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < n)\n"
                                    "        out[i] = a * __half2float(__float2half(in[i]));\n"
                                    "}\n";

/* Line 4 has a mistake: there is no m. */
static const char mistake_source[] = "extern \"C\" __global__ void scale(const float *in, float *out, int n, float a)\n"
                                     "{\n"
                                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "    if (i < m)\n"
                                     "        out[i] = a * in[i];\n"
                                     "}\n";

/* Right, but the compiler has something to say about line 3. The kernel has a long name. */
#define LONG_NAME "multiply_each_number_of_the_input_by_the_factor_a_and_write_the_product_to_the_place_of_the_output_that_has_the_same_index"
static const char unused_source[] = "extern \"C\" __global__ void " LONG_NAME "(const float *in, float *out, int n, float a)\n"
                                    "{\n"
                                    "    int left_over = n;\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < n)\n"
                                    "        out[i] = a * in[i];\n"
                                    "}\n";

/* Functions of NVRTC of which each fails once, and the name of the number that is returned then. */
#define REFUSED_FUNCTIONS(X)                                                                                           \
    X(nvrtcCreateProgram)                                                                                              \
    X(nvrtcAddNameExpression)                                                                                          \
    X(nvrtcCompileProgram)                                                                                             \
    X(nvrtcGetProgramLogSize)                                                                                          \
    X(nvrtcGetProgramLog)                                                                                              \
    X(nvrtcGetPTXSize)                                                                                                 \
    X(nvrtcGetPTX)                                                                                                     \
    X(nvrtcGetLoweredName)
#define REFUSED_KEY(function) "returned_when_" #function "_failed"
/* Those that are called when the compiler has run: its log is there, whatever they return. */
#define FUNCTIONS_BEHIND(X) X(nvrtcGetPTXSize) X(nvrtcGetPTX) X(nvrtcGetLoweredName)
#define LOG_KEY(function) "log_is_there_when_" #function "_failed"

#endif
