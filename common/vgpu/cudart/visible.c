/* visible: CUDA_VISIBLE_DEVICES, as measured on a machine with two cards and runtime 13.0.
 *
 *      unset               all devices
 *      "1,0"               these, in this order, up to the first that there is none of
 *      "GPU-7669,GPU-..."  by the beginning of a UUID, case does not matter; one that fits no device, or
 *                          several, ends the list
 *      "0,GPU-..."         the form of the first entry is that of all: another form ends the list
 *      "", "-1", "none"    no device: cudaErrorNoDevice
 *      "0,0"               a device twice: cudaErrorInvalidDevice
 *
 * After a number anything but a comma ends the list: "0;1" and "0x1" name device 0.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* "virtual-gpu-" and the device in two digits, so that reports are the same everywhere. */
void visible_uuid(uint32_t device, unsigned char bytes[16])
{
    char text[24];
    snprintf(text, sizeof text, "virtual-gpu-%02u", device % 100);
    memset(bytes, 0, 16);
    memcpy(bytes, text, strlen(text));
}

/* "GPU-76697274-7561-6c2d-6770-752d30300000" */
static void uuid_text(uint32_t device, char *out, size_t room)
{
    unsigned char b[16];
    visible_uuid(device, b);
    int n = snprintf(out, room, "GPU-");
    for (int i = 0; i < 16; i++)
        n += snprintf(out + n, room - (size_t)n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                      b[i]);
}

enum { UUID_TEXT = 48 };

/* The device whose UUID begins so; -1: none, or more than one. */
static long find_uuid(const char *text, size_t length, uint32_t n_devices)
{
    char uuid[UUID_TEXT];
    long found = -1;
    for (uint32_t i = 0; i < n_devices; i++) {
        uuid_text(i, uuid, sizeof uuid);
        if (length > strlen("GPU-") && length <= strlen(uuid) && strncasecmp(uuid, text, length) == 0) {
            if (found >= 0)
                return -1;
            found = i;
        }
    }
    return found;
}

/* One entry: its device, -1 for none. *end: what comes after it. */
static long read_entry(const char *text, bool by_uuid, uint32_t n_devices, const char **end)
{
    if (by_uuid) {
        size_t length = strcspn(text, ",");
        *end = text + length;
        return find_uuid(text, length, n_devices);
    }
    char *after;
    long i = strtol(text, &after, 10);
    bool digits = after != text;
    while (isspace((unsigned char)*after))
        after++;
    *end = after;
    return digits && i >= 0 && i < (long)n_devices ? i : -1;
}

void visible_read(const char *text, uint32_t n_devices)
{
    Facade *f = facade();
    f->n_devices = 0;
    f->no_device = cudaErrorNoDevice;
    if (!text) {
        for (uint32_t i = 0; i < n_devices; i++)
            f->visible[f->n_devices++] = i;
        return;
    }
    bool by_uuid = strncasecmp(text, "GPU-", 4) == 0;
    for (;;) {
        const char *end;
        long device = read_entry(text, by_uuid, n_devices, &end);
        if (device < 0)
            return;
        for (int i = 0; i < f->n_devices; i++)
            if (f->visible[i] == (uint32_t)device) {
                f->n_devices = 0;
                f->no_device = cudaErrorInvalidDevice;
                return;
            }
        f->visible[f->n_devices++] = (uint32_t)device;
        if (*end != ',')
            return;
        text = end + 1;
    }
}
