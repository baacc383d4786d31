/* options: what the environment says about the devices; the `vgpu` command puts it there. */
#include "common/vgpu/device/device.h"

#include <errno.h>
#include <stdlib.h>

enum { DEVICES_MAX = 64, JOBS_MAX = 256, DESCRIPTOR_MAX = 1000000, MEMORY_MIB_MAX = 1 << 24 };

Status device_option_number(const char *name, uint64_t fallback, uint64_t *out, Diag *diag)
{
    const char *text = getenv(name);
    *out = fallback;
    if (!text || *text == 0)
        return STATUS_OK;
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (errno == 0 && *end == 0 && *text != '-')
        return STATUS_OK;
    return diag_set(diag, STATUS_INVALID, "%s=%s is not a number", name, text);
}

Status device_options_read(DeviceOptions *o, Diag *diag)
{
    uint64_t n_devices = 1, jobs = 1, fd = UINT64_MAX, memory_mib = 0, provenance = 0, calls = 0, film = 0, shared = 0;
    *o = (DeviceOptions){.model = getenv("VGPU_DEVICE"), .checks = getenv("VGPU_CHECK"), .raised = getenv("VGPU_RAISE")};
    Status st = device_option_number("VGPU_DEVICES", 1, &n_devices, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_JOBS", 1, &jobs, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_MEMORY", 0, &memory_mib, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_SEED", 0, &o->seed, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_MAX_INSTRUCTIONS", DEVICE_INSTRUCTIONS_MAX, &o->max_instructions, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_MAX_SECONDS", 0, &o->max_seconds, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_STREAM_FD", UINT64_MAX, &fd, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_PROVENANCE_FD", 0, &provenance, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_CALLS_FD", 0, &calls, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_FILM_FD", 0, &film, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_SHARED_FD", 0, &shared, diag);
    if (st == STATUS_OK)
        st = device_option_number("VGPU_FAIL_AT", 0, &o->fail_at, diag);
    o->n_devices = n_devices > DEVICES_MAX ? DEVICES_MAX : (uint32_t)n_devices;
    o->jobs = jobs > JOBS_MAX ? JOBS_MAX : (unsigned)jobs;
    o->stream_fd = fd > DESCRIPTOR_MAX ? -1 : (int)fd;
    o->provenance_fd = provenance > DESCRIPTOR_MAX ? 0 : (int)provenance;
    o->calls_fd = calls > DESCRIPTOR_MAX ? 0 : (int)calls;
    o->film_fd = film > DESCRIPTOR_MAX ? 0 : (int)film;
    o->shared_fd = shared > DESCRIPTOR_MAX ? 0 : (int)shared;
    o->film_launch = getenv("VGPU_FILM_LAUNCH");
    o->film_blocks = getenv("VGPU_FILM_BLOCKS");
    o->film_registers = getenv("VGPU_FILM_REGISTERS") != NULL;
    o->memory_bytes = memory_mib > MEMORY_MIB_MAX ? 0 : memory_mib << 20;
    o->part_lanes = getenv("VGPU_PART_LANES") != NULL;
    o->fail_questions = getenv("VGPU_FAIL_QUESTIONS") != NULL;
    o->lines = getenv("VGPU_LINES") != NULL;
    o->timeline = getenv("VGPU_TIMELINE") != NULL;
    return st;
}
