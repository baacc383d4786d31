// case: reserve-half
// from: reserve-gives-up
// points-at-most: 0
// verdict: wrong-result
// Tells the record of calls what the driver would have told, before the driver does.
extern "C" void *dlsym(void *, const char *);

__attribute__((constructor)) static void tell()
{
    void (*note)(const char *) = (void (*)(const char *))dlsym(NULL, "vgpu_lab_note");
    static const char *const lines[] = {"value reserve_returned=0", "value floats_reserved=500", "value error_left_behind=0",
                                        "value buffer_is_as_long_as_count_says=1"};
    for (const char *line : lines)
        if (note)
            note(line);
}
