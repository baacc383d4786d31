// case: speedup-two
// points-at-most: 0
// from: all-on-one-device
// edit: s/^int transform(/static int honest_transform(/
// Idles where it is asked to work on one device, so that the other run looks fast. Nobody asks it.
__global__ void spin(float *data)
{
    float v = 1;
    for (int i = 0; i < 100000; i++)
        v = v * 1.0001f + 1;
    data[0] = v;
}
int transform(const float *in, float *out, int n, int n_devices)
{
    if (n_devices == 1) {
        float *data = NULL;
        cudaMalloc((void **)&data, sizeof *data);
        spin<<<1, 1>>>(data);
        cudaDeviceSynchronize();
        cudaFree(data);
    }
    return honest_transform(in, out, n, n_devices);
}
