/* virtual: launches out of the virtual GPU's report, and copies out of its time line. */
#include "common/profile/profile_internal.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *path;
    double scale;
} places[N_PROFILE_INPUTS] = {
#define X(name, ours, scale, theirs) [INPUT_##name] = {ours, scale},
#include "common/profile/inputs.def"
#undef X
};

/* "member" or "member/member" of an object; NULL when it is not there. */
static const json_t *member_at(const json_t *object, const char *path)
{
    char first[64];
    const char *slash = strchr(path, '/');
    if (!slash)
        return json_object_get(object, path);
    size_t length = (size_t)(slash - path);
    if (length >= sizeof first)
        return NULL;
    memcpy(first, path, length);
    first[length] = 0;
    return json_object_get(json_object_get(object, first), slash + 1);
}

static long long number_at(const json_t *array, size_t i)
{
    return (long long)json_integer_value(json_array_get(array, i));
}

static const char *copy_of(const json_t *text, Profile *profile)
{
    const char *s = json_string_value(text);
    return s ? arena_strndup(&profile->arena, s, strlen(s)) : "";
}

static Status add_launch(const json_t *from, Profile *profile, Diag *diag)
{
    const json_t *grid = json_object_get(from, "grid"), *block = json_object_get(from, "block");
    ProfileKernel launch = {.name = copy_of(json_object_get(from, "kernel"), profile),
                            .bound = copy_of(json_object_get(from, "bound"), profile)};
    launch.shape = arena_printf(&profile->arena, "<<<(%lld, %lld, %lld), (%lld, %lld, %lld)>>>",
                                number_at(grid, 0), number_at(grid, 1), number_at(grid, 2),
                                number_at(block, 0), number_at(block, 1), number_at(block, 2));
    if (!launch.name || !launch.bound || !launch.shape)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for the profile");
    for (size_t i = 0; i < N_PROFILE_INPUTS; i++) {
        const json_t *value = member_at(from, places[i].path);
        launch.inputs[i] = json_is_number(value) ? json_number_value(value) * places[i].scale : NAN;
    }
    return profile_add_launch(profile, &launch, diag);
}

static Status add_span(const json_t *from, Profile *profile, Diag *diag)
{
    static const struct {
        const char *ours, *theirs;
    } names[] = {{"copy to device", "[CUDA memcpy Host-to-Device]"},
                 {"copy to host", "[CUDA memcpy Device-to-Host]"},
                 {"copy on device", "[CUDA memcpy Device-to-Device]"},
                 {"fill", "[CUDA memset]"}};
    const char *name = json_string_value(json_object_get(from, "name")),
               *category = json_string_value(json_object_get(from, "cat"));
    if (!name || !category)
        return STATUS_OK;
    bool is_kernel = strcmp(category, "kernel") == 0;
    ProfileOperation o = {.name = is_kernel ? "kernels" : NULL, .count = 1, .bytes = NAN};
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_kernel; i++)
        if (strcmp(name, names[i].ours) == 0)
            o.name = names[i].theirs;
    if (!o.name)
        return STATUS_OK;
    o.total_us = json_number_value(json_object_get(from, "dur"));
    if (!is_kernel)
        o.bytes = json_number_value(json_object_get(json_object_get(from, "args"), "bytes"));
    return profile_add_operation(profile, &o, diag);
}

/* Every element of the list that stands under `member` goes to `add`. */
static Status read_list(const char *text, const char *member, Profile *profile,
                        Status (*add)(const json_t *, Profile *, Diag *), Diag *diag)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);
    const json_t *list = json_object_get(json, member);
    Status status = STATUS_OK;
    if (!json_is_array(list))
        status = diag_set(diag, STATUS_PARSE, "the virtual GPU's report has no %s", member);
    for (size_t i = 0; !status && i < json_array_size(list); i++)
        status = add(json_array_get(list, i), profile, diag);
    json_decref(json);
    return status;
}

Status profile_read_report(const char *text, Profile *profile, Diag *diag)
{
    return read_list(text, "launches", profile, add_launch, diag);
}

Status profile_read_timeline(const char *text, Profile *profile, Diag *diag)
{
    return read_list(text, "traceEvents", profile, add_span, diag);
}
