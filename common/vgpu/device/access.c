/* access: the record of host code that touched a device's memory.
 *
 *      {"p":1,"t":"host-access","device":0,"finding":{"address":"0x..","access":"read","allocation":
 *       {"address":"0x..","bytes":N,"serial":N,"freed":false,"site":N,"free_site":N,"distance":N}},
 *       "frames":[["/path/of/object",offset in the file],...]}
 *
 * The finding has fields of common/base/finding_fields.def. The record is made in a signal handler, perhaps in the middle of malloc: nothing here takes memory or a lock.
 */
#include "common/vgpu/device/device.h"

#include "common/base/io.h"

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

static void access_put_text(Text *t, const char *text)
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

static void put_in_base(Text *t, uint64_t n, unsigned base)
{
    char digits[24];
    int k = 0;
    do
        digits[k++] = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    while (k > 0)
        put_char(t, digits[--k]);
}

static void access_put_number(Text *t, uint64_t n)
{
    put_in_base(t, n, 10);
}

static void access_put_address(Text *t, const char *before, uint64_t n)
{
    access_put_text(t, before);
    access_put_text(t, "\"address\":\"0x");
    put_in_base(t, n, 16);
    put_char(t, '"');
}

static void put_member(Text *t, const char *name, uint64_t n)
{
    access_put_text(t, ",\"");
    access_put_text(t, name);
    access_put_text(t, "\":");
    access_put_number(t, n);
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
    access_put_address(t, ",\"allocation\":{", where->pointer.base);
    put_member(t, "bytes", where->pointer.bytes);
    put_member(t, "serial", where->pointer.serial);
    put_member(t, "site", where->pointer.site);
    if (where->pointer.freed)
        put_member(t, "free_site", where->pointer.free_site);
    if (where->pointer.name) {
        access_put_text(t, ",\"name\":");
        put_json(t, where->pointer.name);
    }
    access_put_text(t, where->pointer.freed ? ",\"freed\":true" : ",\"freed\":false");
    access_put_text(t, far < 0 ? ",\"distance\":-" : ",\"distance\":");
    access_put_number(t, (uint64_t)(far < 0 ? -far : far));
    put_char(t, '}');
}

void device_record_access(int stream_fd, const DeviceHostAccess *access, const DeviceReply *where)
{
    Text t = {.n = 0};
    access_put_text(&t, "{\"t\":\"host-access\"");
    put_member(&t, "p", (uint64_t)getpid());
    put_member(&t, "device", access->device);
    access_put_address(&t, ",\"finding\":{", access->address);
    access_put_text(&t, access->write ? ",\"access\":\"write\"" : ",\"access\":\"read\"");
    if (where->pointer.bytes > 0)
        put_allocation(&t, access->address, where);
    access_put_text(&t, "},\"frames\":[");
    const char *separator = "[";
    for (uint32_t i = 0; i < access->n_frames && i < DEVICE_FRAMES_MAX; i++) {
        if (access->frames[i].path[0] == 0)
            continue;
        access_put_text(&t, separator);
        put_json(&t, access->frames[i].path);
        put_char(&t, ',');
        access_put_number(&t, access->frames[i].offset);
        put_char(&t, ']');
        separator = ",[";
    }
    access_put_text(&t, "]}\n");
    io_write_all(stream_fd, t.bytes, t.n);
}
