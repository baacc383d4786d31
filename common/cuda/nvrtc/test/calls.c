/* What NVRTC's functions return and give, a line each: run with one library and with another, the lines are
 * compared (nvrtc.t). Texts that compilers word for themselves are not printed. */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(nvrtcProgram p, nvrtcResult size_of(nvrtcProgram, size_t *),
                     nvrtcResult get(nvrtcProgram, char *))
{
    size_t n = 0;
    nvrtcResult sized = size_of(p, &n);
    if (sized != NVRTC_SUCCESS)
        return NULL;
    char *text = calloc(n + 1, 1);
    if (get(p, text) != NVRTC_SUCCESS)
        text[0] = '\0';
    return text;
}

/* FILE(LINE): KIND of each message. */
static void print_messages(char *log)
{
    for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n")) {
        char *at = strstr(line, "): ");
        const char *kind = at == NULL                        ? NULL
                           : strstr(at, "warning") == at + 3 ? "warning"
                           : strstr(at, "error") != NULL     ? "error"
                                                             : NULL;
        if (kind != NULL && strncmp(line, "name expression", 15) != 0 && strncmp(line, "__nv_name_map", 13) != 0)
            printf("  %.*s): %s\n", (int)(at - line), line, kind);
    }
}

static void print_targets(const char *ptx)
{
    const char *target = ptx == NULL ? NULL : strstr(ptx, ".target sm_");
    const char *entry = ptx;
    if (target != NULL)
        printf("  target %d\n", atoi(target + 11));
    while (entry != NULL && (entry = strstr(entry, ".entry ")) != NULL) {
        entry += 7;
        if (entry[strcspn(entry, "{;")] == '{') /* and is not only declared */
            printf("  entry %.*s\n", (int)strcspn(entry, "( \n"), entry);
    }
}

static void compile(const char *title, const char *source, const char *name, const char *const *names,
                    const char *const *options)
{
    static const char *const headers[] = {"#define TWO 2\n", "#include \"two.h\"\n#define FOUR (TWO * TWO)\n"};
    static const char *const header_names[] = {"two.h", "more/four.h"};
    nvrtcProgram p = NULL;
    size_t bytes = 0;
    int n = 0;
    printf("%s: create %d\n", title, nvrtcCreateProgram(&p, source, name, 2, headers, header_names));
    for (int i = 0; names[i] != NULL; i++)
        printf("  add %d\n", nvrtcAddNameExpression(p, names[i]));
    const char *lowered = NULL;
    printf("  before: %d\n", nvrtcGetLoweredName(p, "f", &lowered));
    while (options[n] != NULL)
        n++;
    printf("  compile %s\n", nvrtcGetErrorString(nvrtcCompileProgram(p, n, options)));
    char *log = text_of(p, nvrtcGetProgramLogSize, nvrtcGetProgramLog);
    char *ptx = text_of(p, nvrtcGetPTXSize, nvrtcGetPTX);
    print_messages(log);
    print_targets(ptx);
    printf("  ptx %d\n", ptx != NULL);
    for (int i = 0; names[i] != NULL; i++) {
        nvrtcResult result = nvrtcGetLoweredName(p, names[i], &lowered);
        printf("  name of %s: %d %s\n", names[i], result, result == NVRTC_SUCCESS ? lowered : "-");
    }
    printf("  name of another: %d\n", nvrtcGetLoweredName(p, "another", &lowered));
    nvrtcResult cubin = nvrtcGetCUBINSize(p, &bytes);
    printf("  cubin %d %d\n", cubin, bytes > 0);
    printf("  add after: %d\n", nvrtcAddNameExpression(p, "g"));
    printf("  destroy %d", nvrtcDestroyProgram(&p));
    printf(" %d\n", p == NULL);
    free(log);
    free(ptx);
}

#define LIST(...) (const char *const[]){__VA_ARGS__, NULL}
#define NONE (const char *const[]){NULL}

int main(void)
{
    int major = 0, minor = 0;
    size_t bytes;
    nvrtcProgram p = NULL;
    const char *lowered;
    printf("version %d", nvrtcVersion(&major, &minor));
    printf(" %d\n", major);
    printf("NULL: %d %d %d", nvrtcVersion(NULL, &minor), nvrtcGetNumSupportedArchs(NULL), nvrtcGetSupportedArchs(NULL));
    printf(" %d %d %d", nvrtcCreateProgram(NULL, "", NULL, 0, NULL, NULL), nvrtcCreateProgram(&p, NULL, NULL, 0, NULL, NULL),
           nvrtcCreateProgram(&p, "", NULL, -1, NULL, NULL));
    printf(" %d %d %d", nvrtcCreateProgram(&p, "", NULL, 1, NULL, NULL), nvrtcDestroyProgram(NULL), nvrtcDestroyProgram(&p));
    printf(" %d %d %d", nvrtcCompileProgram(NULL, 0, NULL), nvrtcGetPTXSize(NULL, &bytes), nvrtcGetProgramLogSize(NULL, &bytes));
    printf(" %d %d\n", nvrtcAddNameExpression(NULL, "f"), nvrtcGetLoweredName(NULL, "f", &lowered));
    for (int i = 0; i < 18; i++)
        printf("%s\n", nvrtcGetErrorString((nvrtcResult)i));

    compile("nothing", "", NULL, NONE, NONE);
    compile("plain", "__global__ void f(int *x) { *x = 1; }\n", "f.cu", LIST("f"), LIST("-arch=compute_75"));
    compile("C", "extern \"C\" __global__ void f(int *x) { *x = threadIdx.x + blockDim.x; }\n", "f.cu", LIST("f"),
            LIST("--gpu-architecture=compute_80"));
    compile("card", "__global__ void f(int *x) { *x = 1; }\n", NULL, NONE, LIST("--gpu-architecture=sm_80"));
    compile("templates",
            "namespace a { template <int N, typename T> __global__ void f(T *x) { *x = N; } }\n"
            "__device__ int v; namespace b { __constant__ float w[4]; }\n"
            "template <typename T> __global__ void g(T *x) { *x = v; }\n",
            "t.cu", LIST("a::f<3, float>", "a::f<2+2,int>", "g<double>", "&v", "&b::w", "  g<int> "), NONE);
    compile("macro", "__global__ void f(int *x) { *x = VALUE; }\n", "f.cu", LIST("f"), LIST("-DVALUE=3", "-lineinfo"));
    compile("macro apart", "__global__ void f(int *x) { *x = VALUE; }\n", "f.cu", NONE, LIST("-D", "VALUE=3"));
    compile("no macro", "\n\n__global__ void f(int *x) { *x = VALUE; }\n", "f.cu", LIST("f"), NONE);
    compile("two mistakes", "__global__ void f(int *x)\n{\n    *x = a;\n    *x = b;\n}\n", "in a folder/f.cu", NONE, NONE);
    compile("warning", "__global__ void f(int *x)\n{\n    int unused = 3;\n    *x = 1;\n}\n", "w.cu", NONE, NONE);
    compile("no warning", "__global__ void f(int *x)\n{\n    int unused = 3;\n    *x = 1;\n}\n", "w.cu", NONE, LIST("-w"));
    compile("headers", "#include <more/four.h>\n__global__ void f(int *x) { *x = FOUR; }\n", "f.cu", NONE, NONE);
    compile("quoted header", "#include \"two.h\"\n__global__ void f(int *x) { *x = TWO; }\n", "f.cu", NONE, NONE);
    compile("no header", "#include \"three.h\"\n__global__ void f(int *x) { *x = 1; }\n", "f.cu", NONE, NONE);
    compile("no such name", "__global__ void f(int *x) { *x = 1; }\n", "f.cu", LIST("g"), NONE);
    compile("option", "__global__ void f(int *x) { *x = 1; }\n", "f.cu", NONE, LIST("--no-such-option"));
    compile("target", "__global__ void f(int *x) { *x = 1; }\n", "f.cu", NONE, LIST("-arch=compute_10"));
    compile("standard", "template <typename T> concept C = sizeof(T) > 1;\n__global__ void f(int *x) { *x = C<int>; }\n", "f.cu", NONE, LIST("--std=c++20"));
    compile("default device", "int three() { return 3; }\n__global__ void f(int *x) { *x = three(); }\n", "f.cu", NONE, LIST("-default-device"));
    compile("debug", "__global__ void f(int *x) { *x = 1; }\n", "f.cu", LIST("f"), LIST("-G", "--use_fast_math", "--fmad=false", "-rdc=true"));
    compile("rtc", "#ifdef __CUDACC_RTC__\n__global__ void f(int *x) { *x = 1; }\n#endif\n", "f.cu", LIST("f"), NONE);
    return 0;
}
