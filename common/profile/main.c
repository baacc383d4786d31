/* profile-table: the table of `make profile`.
 *
 *   profile-table metrics          the names for ncu's --metrics
 *   profile-table ncu FILE         kernels out of the output of ncu --csv --page raw
 *   profile-table report FILE      the same out of the virtual GPU's report
 *   profile-table numbers FILE     what lab.yaml can ask of a run, out of the report
 *   profile-table ncu-totals FILE, report-totals FILE     what a roofline needs, of all launches together
 *   profile-table nsys FILE        copies and kernels out of that of nsys stats --format csv
 *   profile-table timeline FILE    the same out of the virtual GPU's time line
 *
 * Exit status: 0; 1 when there is nothing in FILE; 2 when it is not there or not what it should be.
 */
#include "common/profile/profile.h"

#include <stdio.h>
#include <string.h>

enum { EXIT_FINE, EXIT_NOTHING, EXIT_KIT };

static const struct {
    const char *name;
    Status (*read)(const char *text, Profile *profile, Diag *diag);
    void (*put)(const Profile *profile, StrBuf *out);
} sources[] = {
    {"ncu", profile_read_ncu, profile_put_kernels},
    {"report", profile_read_report, profile_put_kernels},
    {"ncu-totals", profile_read_ncu, profile_put_totals},
    {"report-totals", profile_read_report, profile_put_totals},
    {"nsys", profile_read_nsys, profile_put_operations},
    {"timeline", profile_read_timeline, profile_put_operations},
};

static Status profile_read_file(const char *path, StrBuf *text, Diag *diag)
{
    char piece[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        return diag_set_at(diag, STATUS_IO, path, 0, 0, "cannot be read");
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        strbuf_append(text, piece, n);
    bool failed = ferror(file) || text->failed;
    fclose(file);
    strbuf_puts(text, "");
    return failed ? diag_set_at(diag, STATUS_IO, path, 0, 0, "cannot be read") : STATUS_OK;
}

static Status make_table(const char *source, const char *path, StrBuf *out, Diag *diag)
{
    static Profile profile; /* large */
    StrBuf text = {0};
    size_t i = 0;
    bool numbers = strcmp(source, "numbers") == 0;
    while (!numbers && i < sizeof sources / sizeof *sources && strcmp(sources[i].name, source) != 0)
        i++;
    if (i == sizeof sources / sizeof *sources)
        return diag_set(diag, STATUS_INVALID, "no such source: %s", source);
    Status status = profile_read_file(path, &text, diag);
    const char *all = text.text ? text.text : "";
    if (!status)
        status = numbers ? profile_put_numbers(all, out, diag) : sources[i].read(all, &profile, diag);
    if (!status && !numbers)
        sources[i].put(&profile, out);
    profile_free(&profile);
    strbuf_free(&text);
    return status;
}

int main(int argc, char **argv)
{
    StrBuf out = {0};
    Diag diag = {0};
    Status status = STATUS_OK;
    if (argc == 2 && strcmp(argv[1], "metrics") == 0) {
        profile_ncu_metrics(&out);
        strbuf_puts(&out, "\n");
    } else if (argc == 3) {
        status = make_table(argv[1], argv[2], &out, &diag);
    } else {
        status = diag_set(
            &diag, STATUS_INVALID,
            "usage: profile-table metrics | ncu|report|ncu-totals|report-totals|numbers|nsys|timeline FILE");
    }
    strbuf_print(&out, stdout);
    if (status)
        fprintf(stderr, "profile-table: %s%s%s\n", diag.file, *diag.file ? ": " : "", diag.message);
    return status == STATUS_OK ? EXIT_FINE : status == STATUS_NOT_FOUND ? EXIT_NOTHING : EXIT_KIT;
}
