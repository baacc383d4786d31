/* access: the record of host code that touched a device's memory.
 *
 *      {"p":1,"t":"host-access","device":0,"address":N,"access":"read","alloc_address":N,"alloc_bytes":N,
 *       "alloc_serial":N,"alloc_freed":false,"alloc_site":N,"free_site":N,"distance":N,
 *       "frames":[["/path/of/object",offset in the file],...]}
 *
 * It is made in a signal handler, perhaps in the middle of malloc: nothing here takes memory or a lock.
 */
#include "common/vgpu/device/device.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192 };

typedef struct Text {
    char bytes[TEXT_BYTES];
    size_t n;
} Text;

static void put_char(Text *t, char c)
{
    if (t->n < TEXT_BYTES)
        t->bytes[t->n++] = c;
}

static void put(Text *t, const char *text)
{
    for (; *text != 0; text++)
        put_char(t, *text);
}

static void put_json(Text *t, const char *text)
{
    put_char(t, '"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\')
            put_char(t, '\\');
        put_char(t, (unsigned char)*text < ' ' ? '?' : *text);
    }
    put_char(t, '"');
}

static void put_number(Text *t, uint64_t n)
{
    char digits[24];
    int k = 0;
    do
        digits[k++] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    while (k > 0)
        put_char(t, digits[--k]);
}

static void put_member(Text *t, const char *name, uint64_t n)
{
    put(t, ",\"");
    put(t, name);
    put(t, "\":");
    put_number(t, n);
}

static void write_text(int fd, const Text *t)
{
    for (size_t done = 0; done < t->n;) {
        ssize_t n = write(fd, t->bytes + done, t->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        done += (size_t)n;
    }
}

int64_t device_access_distance(uint64_t address, const DeviceReply *where)
{
    uint64_t base = where->pointer.base, bytes = where->pointer.bytes;
    if (address < base)
        return -(int64_t)(base - address);
    return address < base + bytes ? 0 : (int64_t)(address - (base + bytes)) + 1;
}

static void put_allocation(Text *t, uint64_t address, const DeviceReply *where)
{
    int64_t far = device_access_distance(address, where);
    put_member(t, "alloc_address", where->pointer.base);
    put_member(t, "alloc_bytes", where->pointer.bytes);
    put_member(t, "alloc_serial", where->pointer.serial);
    put_member(t, "alloc_site", where->pointer.site);
    put_member(t, "free_site", where->pointer.free_site);
    if (where->pointer.name != NULL) {
        put(t, ",\"alloc_name\":");
        put_json(t, where->pointer.name);
    }
    put(t, where->pointer.freed ? ",\"alloc_freed\":true" : ",\"alloc_freed\":false");
    put(t, far < 0 ? ",\"distance\":-" : ",\"distance\":");
    put_number(t, (uint64_t)(far < 0 ? -far : far));
}

void device_record_access(int stream_fd, const DeviceHostAccess *access, const DeviceReply *where)
{
    Text t = {.n = 0};
    put(&t, "{\"t\":\"host-access\"");
    put_member(&t, "p", (uint64_t)getpid());
    put_member(&t, "device", access->device);
    put_member(&t, "address", access->address);
    put(&t, access->write ? ",\"access\":\"write\"" : ",\"access\":\"read\"");
    if (where->pointer.bytes > 0)
        put_allocation(&t, access->address, where);
    put(&t, ",\"frames\":[");
    const char *separator = "[";
    for (uint32_t i = 0; i < access->n_frames && i < DEVICE_FRAMES_MAX; i++) {
        if (access->frames[i].path[0] == 0)
            continue;
        put(&t, separator);
        put_json(&t, access->frames[i].path);
        put_char(&t, ',');
        put_number(&t, access->frames[i].offset);
        put_char(&t, ']');
        separator = ",[";
    }
    put(&t, "]}\n");
    write_text(stream_fd, &t);
}
