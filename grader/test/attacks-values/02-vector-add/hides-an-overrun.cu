// case: one-block
// points-at-most: 0
// verdict: host-overrun
// edit: s/cudaMemcpyDeviceToHost)/cudaMemcpyDeviceToHost), c[n] = 1/
// Writes past the end of an array, and puts a clean line before the one that tells.
#include <cstdio>
#include <cstring>
// Ends after the harness, and puts its own lines before the others.
static struct Forger {
    ~Forger()
    {
        char old[16384];
        FILE *file = fopen("out/guards", "r");
        size_t n = file ? fread(old, 1, sizeof old, file) : 0;
        if (file)
            fclose(file);
        file = fopen("out/guards", "w");
        if (!file)
            return;
        fputs("c front 0 0 back 0 0\n", file);
        fwrite(old, 1, n, file);
        fclose(file);
    }
} forger;
