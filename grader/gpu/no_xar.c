/* For the statically linked grade alone: libarchive's table of formats names the writer of xar archives,
 * which would bring libxml2 and ICU into the program. The kit writes none; this takes the writer's place. */
#include <archive.h>
#include <errno.h>

int archive_write_set_format_xar(struct archive *a)
{
    archive_set_error(a, EINVAL, "this program was linked without the xar format");
    return ARCHIVE_FATAL;
}
