/* access: the record of host code that touched a device's memory, or what is no memory at all.
 *
 *      {"p":1,"t":"host-access","device":0,"what":0,"finding":{"address":"0x..","access":"read","allocation":
 *       {"address":"0x..","bytes":N,"serial":N,"freed":false,"site":N,"free_site":N,"distance":N}},
 *       "frames":[["/path/of/object",offset in the file],...]}
 *
 * The finding has fields of common/base/finding_fields.def. The record is made in a signal handler, perhaps in the middle of malloc: nothing here takes memory or a lock.
 */
#include "common/vgpu/device/device.h"

#include "common/base/io.h"
#include "common/base/small_text.h"

#include <unistd.h>

static void put_json(SmallText *t, const char *text)
{
    small_text_char(t, '"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\')
            small_text_char(t, '\\');
        small_text_char(t, (unsigned char)*text < ' ' ? '?' : *text);
    }
    small_text_char(t, '"');
}

static void access_put_address(SmallText *t, const char *before, uint64_t n)
{
    small_text_puts(t, before);
    small_text_puts(t, "\"address\":\"0x");
    small_text_number(t, n, 16);
    small_text_char(t, '"');
}

static void put_member(SmallText *t, const char *name, uint64_t n)
{
    small_text_puts(t, ",\"");
    small_text_puts(t, name);
    small_text_puts(t, "\":");
    small_text_number(t, n, 10);
}

FindingKind device_access_kind(uint32_t what)
{
    static const FindingKind kinds[HOST_ACCESSES] = {FINDING_HOST_ACCESS, FINDING_HOST_FAULT, FINDING_HOST_STACK_OVERFLOW, FINDING_HOST_ABORT, FINDING_HOST_DIVISION, FINDING_HOST_INDEX};
    return kinds[what];
}

int64_t device_access_distance(uint64_t address, const DeviceReply *where)
{
    uint64_t base = where->pointer.base, bytes = where->pointer.bytes;
    if (address < base)
        return -(int64_t)(base - address);
    return address < base + bytes ? 0 : (int64_t)(address - (base + bytes)) + 1;
}

static void put_allocation(SmallText *t, uint64_t address, const DeviceReply *where)
{
    int64_t far = device_access_distance(address, where);
    access_put_address(t, ",\"allocation\":{", where->pointer.base);
    put_member(t, "bytes", where->pointer.bytes);
    put_member(t, "serial", where->pointer.serial);
    put_member(t, "site", where->pointer.site);
    if (where->pointer.freed)
        put_member(t, "free_site", where->pointer.free_site);
    if (where->pointer.name) {
        small_text_puts(t, ",\"name\":");
        put_json(t, where->pointer.name);
    }
    small_text_puts(t, where->pointer.freed ? ",\"freed\":true" : ",\"freed\":false");
    small_text_puts(t, far < 0 ? ",\"distance\":-" : ",\"distance\":");
    small_text_number(t, (uint64_t)(far < 0 ? -far : far), 10);
    small_text_char(t, '}');
}

void device_record_access(int stream_fd, const DeviceHostAccess *access, const DeviceReply *where)
{
    SmallText t = {.n = 0};
    small_text_puts(&t, "{\"t\":\"host-access\"");
    put_member(&t, "p", (uint64_t)getpid());
    put_member(&t, "device", access->device);
    put_member(&t, "what", access->what);
    access_put_address(&t, ",\"finding\":{", access->address);
    small_text_puts(&t, access->write ? ",\"access\":\"write\"" : ",\"access\":\"read\"");
    if (where->pointer.bytes > 0)
        put_allocation(&t, access->address, where);
    small_text_puts(&t, "},\"frames\":[");
    const char *separator = "[";
    for (uint32_t i = 0; i < access->n_frames && i < DEVICE_FRAMES_MAX; i++) {
        if (access->frames[i].path[0] == 0)
            continue;
        small_text_puts(&t, separator);
        put_json(&t, access->frames[i].path);
        small_text_char(&t, ',');
        small_text_number(&t, access->frames[i].offset, 10);
        small_text_char(&t, ']');
        separator = ",[";
    }
    small_text_puts(&t, "]}\n");
    io_write_all(stream_fd, t.bytes, t.n);
}
