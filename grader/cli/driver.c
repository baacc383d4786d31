/* The driver's part of `grade doctor`: kernel module, device files, libcuda, and whether they fit the
 * toolkit.
 *
 * That there is none is no problem: the virtual GPU needs none. What is wrong about one that is there, is.
 * The checks go from the ground up, and the first that fails is told, so that a cause stands before its
 * symptoms:
 *
 *     WSL or not -> library -> version -> kernel module and its version -> device files -> cuInit -> devices
 */
#include "grader/cli/doctor.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Driver branch that serves CUDA 13, and its CUDA version as cuDriverGetVersion gives it: CUDA Toolkit
 * release notes, "CUDA Driver". */
enum { DRIVER_MAJOR_MIN = 580, DRIVER_CUDA_MIN = 13000 };

static const char topic[] = "driver";
static const char no_device[] = "no CUDA-capable device is detected";
static const char too_old[] = "CUDA driver version is insufficient for CUDA runtime version";
static const char in_container[] = "in a container start it with --gpus all; or make run DEVICE=virtual";

typedef struct DriverError {
    int code;
    const char *sentence, *cause, *mend;
} DriverError;

static const DriverError errors[] = {
#define X(code, sentence, cause, mend) {code, sentence, cause, mend},
#include "grader/cli/driver_errors.def"
#undef X
};

/* What is known before anything is judged. */
typedef struct DriverFacts {
    bool wsl, dxg;        /* Windows' kernel, and its device of GPUs */
    bool gpu_on_bus;      /* PCI: a display device of NVIDIA's */
    char module[64];      /* version of the kernel module; "" when none is loaded */
    char smi[128];        /* what nvidia-smi says the version is */
    bool has_smi, smi_ok; /* it is installed; it answered */
    DriverProbe probe;
} DriverFacts;

/* "580.65.06" out of a line of many words: the first that begins with three digits and a dot. */
static void find_version(const char *text, char *version, size_t size)
{
    for (const char *at = text; *at; at += strcspn(at, " \t"), at += strspn(at, " \t")) {
        size_t digits = strspn(at, "0123456789");
        if (digits >= 3 && at[digits] == '.') {
            snprintf(version, size, "%.*s", (int)strspn(at, "0123456789."), at);
            return;
        }
    }
}

static bool gpu_on_bus(const Doctor *d)
{
    glob_t found;
    bool is_there = false;
    if (glob(doctor_path(d, "/sys/bus/pci/devices/*/vendor"), 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !is_there; i++) {
        char vendor[16], class[16], *path = found.gl_pathv[i] + strlen(d->root);
        bool ours = doctor_read(d, path, vendor, sizeof vendor) && strcmp(vendor, "0x10de") == 0;
        strcpy(strrchr(path, '/'), "/class"); /* shorter than /vendor */
        is_there = ours && doctor_read(d, path, class, sizeof class) && strncmp(class, "0x03", 4) == 0;
    }
    globfree(&found);
    return is_there;
}

static DriverFacts gather(const Doctor *d)
{
    DriverFacts f = {.probe = driver_probe()};
    char text[256];
    f.wsl = doctor_read(d, "/proc/sys/kernel/osrelease", text, sizeof text) && strcasestr(text, "microsoft");
    f.dxg = doctor_has(d, "/dev/dxg");
    f.gpu_on_bus = gpu_on_bus(d);
    if (doctor_read(d, "/proc/driver/nvidia/version", text, sizeof text))
        find_version(text, f.module, sizeof f.module);
    f.has_smi = doctor_in_path("nvidia-smi");
    f.smi_ok =
        f.has_smi && doctor_ask("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null",
                                f.smi, sizeof f.smi);
    if (!f.smi_ok)
        f.smi[0] = '\0';
    return f;
}

/* ---- Without a library ---- */

static bool check_absent(const Doctor *d, const DriverFacts *f)
{
    bool wsl_library = doctor_has(d, "/usr/lib/wsl/lib/libcuda.so.1");
    if (f->wsl && wsl_library)
        return doctor_problem(d, topic, too_old,
                              "WSL's libcuda.so.1 is there, and the loader does not find it",
                              "export LD_LIBRARY_PATH=/usr/lib/wsl/lib");
    if (f->module[0] || doctor_has(d, "/dev/nvidiactl"))
        return doctor_problem(
            d, topic, too_old, "the driver's kernel part is there, and its library libcuda.so.1 is not",
            "sudo apt-get install libcuda1 (Ubuntu: libnvidia-compute-580); in a container start "
            "it with --gpus all");
    if (f->has_smi && !f->smi_ok)
        return doctor_problem(d, topic, no_device, "nvidia-smi is installed, and no driver answers it",
                              "sudo modprobe nvidia (in a container: start it with --gpus all); or make run "
                              "DEVICE=virtual");
    if (f->has_smi)
        return true; /* nvidia-smi's version has been judged; its library stands where only programs look */
    if (f->wsl)
        doctor_note(topic, f->dxg ? "none; to use the GPU install NVIDIA's driver in Windows, never in WSL"
                                  : "none (WSL shows no GPU); the virtual GPU needs none");
    else if (f->gpu_on_bus)
        doctor_note(
            topic, doctor_has(d, "/sys/module/nouveau")
                       ? "none: nouveau has the machine's GPU; to use it install NVIDIA's driver 580 or newer"
                       : "none; to use the machine's GPU install NVIDIA's driver 580 or newer");
    else
        doctor_note(topic, "none; the virtual GPU needs none");
    return true;
}

/* ---- With one ---- */

static bool check_device_file(const Doctor *d, const char *pattern, const char *runtime_says)
{
    glob_t found;
    if (glob(doctor_path(d, pattern), 0, NULL, &found) != 0) {
        const char *cause =
            arena_printf(d->arena, "the kernel module is loaded, and there is no %s", pattern);
        return doctor_problem(d, topic, runtime_says, cause ? cause : pattern,
                              "sudo nvidia-modprobe -u -c 0; in a container start it with --gpus all");
    }
    size_t shut = 0;
    while (shut < found.gl_pathc && access(found.gl_pathv[shut], R_OK | W_OK) == 0)
        shut++;
    const char *file = shut < found.gl_pathc ? found.gl_pathv[shut] + strlen(d->root) : NULL;
    const char *cause =
        file ? arena_printf(d->arena, "%s may not be read and written by you: %s", file, strerror(errno))
             : NULL;
    const char *mend =
        file ? arena_printf(d->arena,
                            "sudo chmod a+rw %s; where it belongs to a group: sudo usermod -aG video $USER, "
                            "and log in again",
                            file)
             : NULL;
    bool fine = !file || doctor_problem(d, topic, runtime_says, cause ? cause : "", mend ? mend : "");
    globfree(&found);
    return fine;
}

/* The device files, where the kernel module shows itself; WSL has none of them, and one of its own. */
static bool check_device_files(const Doctor *d, const DriverFacts *f)
{
    if (f->wsl)
        return f->dxg ||
               doctor_problem(d, topic, no_device, "WSL shows no GPU: there is no /dev/dxg",
                              "in Windows: wsl --update, and install NVIDIA's driver; WSL 1 has no GPU: wsl "
                              "--set-version DISTRIBUTION 2");
    if (!f->module[0])
        return true;
    return check_device_file(d, "/dev/nvidiactl", no_device) &&
           check_device_file(d, "/dev/nvidia[0-9]*", no_device) &&
           check_device_file(d, "/dev/nvidia-uvm", "unknown error");
}

/* A library is named libcuda.so.VERSION, and fits the module of that version only; those of the toolkit's
 * compat folder are made for older ones. */
static bool check_module(const Doctor *d, const DriverFacts *f)
{
    char path[4096], version[64] = "";
    const char *name = realpath(f->probe.path, path) ? strrchr(path, '/') : NULL;
    name = name ? strstr(name, ".so.") : NULL;
    if (name)
        find_version(name + 4, version, sizeof version);
    if (!f->module[0] || !version[0] || strstr(path, "/compat/") || strcmp(version, f->module) == 0)
        return true;
    char cause[512];
    snprintf(cause, sizeof cause, "the library is %s and the loaded kernel module %s", version, f->module);
    return doctor_problem(d, topic, "system has unsupported display driver / cuda driver combination", cause,
                          "restart the machine, so that the module of the library's version is loaded");
}

static bool check_wsl_library(const Doctor *d, const DriverFacts *f)
{
    if (!f->wsl || strstr(f->probe.path, "/wsl/"))
        return true;
    return doctor_problem(
        d, topic, no_device, "a Linux driver's libcuda.so.1 stands before WSL's",
        "sudo apt-get remove --purge '*nvidia-driver*' 'libnvidia-*'; WSL uses the driver of Windows");
}

static bool check_answer(const Doctor *d, const DriverProbe *p)
{
    char cause[600];
    if (!p->answered) {
        snprintf(cause, sizeof cause, "%s crashes or does not answer", p->path);
        return doctor_problem(d, topic, "initialization error", cause,
                              "install the driver anew, and restart");
    }
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == p->init)
            return doctor_problem(d, topic, errors[i].sentence, errors[i].cause, errors[i].mend);
    if (p->init != 0) {
        snprintf(cause, sizeof cause, "cuInit answers %d", p->init);
        return doctor_problem(d, topic, NULL, cause, "install the driver anew, and restart");
    }
    /* CUDA_VISIBLE_DEVICES is a topic of its own. */
    if (p->devices == 0 && !getenv("CUDA_VISIBLE_DEVICES"))
        return doctor_problem(d, topic, no_device, "the driver works, and shows no GPU", in_container);
    return true;
}

static bool check_version(const Doctor *d, const DriverFacts *f)
{
    const char *version = f->smi[0] ? f->smi : f->module;
    bool old = (version[0] && atoi(version) < DRIVER_MAJOR_MIN) ||
               (f->probe.answered && f->probe.version > 0 && f->probe.version < DRIVER_CUDA_MIN);
    return !old ||
           doctor_problem(d, topic, too_old, "a runtime of CUDA 13 needs a driver of version 580 or newer",
                          "install a newer driver; or make run DEVICE=virtual");
}

static void note_version(const DriverFacts *f)
{
    char text[800];
    const char *version = f->smi[0] ? f->smi : f->module;
    if (f->probe.answered)
        snprintf(text, sizeof text, "%s%sfor CUDA %d.%d and older, %s", version, version[0] ? ", " : "",
                 f->probe.version / 1000, f->probe.version % 1000 / 10, f->probe.path);
    else
        snprintf(text, sizeof text, "%s", f->probe.loaded ? f->probe.path : version);
    if (text[0])
        doctor_note(topic, text);
}

bool doctor_check_driver(const Doctor *d)
{
    DriverFacts f = gather(d);
    /* The stub, and the kit's own library, are no drivers; LD_LIBRARY_PATH is a topic of its own. */
    const char *list = getenv("LD_LIBRARY_PATH");
    bool stub = strstr(f.probe.path, "/stubs/") && list && strstr(list, "/stubs");
    bool own = strncmp(f.probe.path, d->kit->build, strlen(d->kit->build)) == 0;
    if (stub || own)
        f.probe = (DriverProbe){0};
    note_version(&f);
    if (!check_version(d, &f))
        return false;
    if (!f.probe.loaded && getauxval(AT_BASE) == 0) { /* no loader, no libraries: test-gpu's own grade */
        doctor_note(topic, "its library was not asked: this program is linked statically");
        return true;
    }
    if (!f.probe.loaded)
        return check_absent(d, &f);
    return check_wsl_library(d, &f) && check_module(d, &f) && check_device_files(d, &f) &&
           check_answer(d, &f.probe);
}
