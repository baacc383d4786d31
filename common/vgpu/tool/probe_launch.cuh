/* probe: launch configurations, valid and not; functions that are none. */

static void threads_2048() { LAUNCH(nothing<<<1, 2048>>>()); CALL(cudaDeviceSynchronize()); }
static void threads_1025() { LAUNCH(nothing<<<1, 1025>>>()); }
static void threads_1024() { LAUNCH(nothing<<<1, 1024>>>()); }
static void threads_3d_product() { LAUNCH(nothing<<<1, dim3(32, 32, 2)>>>()); }
static void threads_z_65() { LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>()); }
static void threads_y_1025() { LAUNCH(nothing<<<1, dim3(1, 1025, 1)>>>()); }
static void threads_0() { LAUNCH(nothing<<<1, 0>>>()); CALL(cudaDeviceSynchronize()); }
static void threads_y_0() { LAUNCH(nothing<<<1, dim3(1, 0, 1)>>>()); }
static void grid_0() { LAUNCH(nothing<<<0, 1>>>()); CALL(cudaDeviceSynchronize()); }
static void grid_y_0() { LAUNCH(nothing<<<dim3(1, 0, 1), 1>>>()); }
static void grid_y_65536() { LAUNCH(nothing<<<dim3(1, 65536, 1), 1>>>()); }
static void grid_z_65536() { LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>()); }
static void grid_x_2_31() { LAUNCH(nothing<<<2147483648u, 1>>>()); }
static void grid_0_and_threads_2048() { LAUNCH(nothing<<<0, 2048>>>()); }
static void launch_bounds() { LAUNCH(bounded<<<1, 256>>>(new_array(1024))); }
static void last_error_of_launch()
{
    nothing<<<1, 2048>>>();
    CALL(cudaPeekAtLastError());
    CALL(cudaDeviceSynchronize());
    CALL(cudaGetLastError());
    CALL(cudaGetLastError());
    LAUNCH(nothing<<<1, 1>>>());
}
static void shared_dynamic_48k() { LAUNCH(store_shared<<<1, 1, 49152>>>(0, new_array(4))); }
static void shared_dynamic_over_48k() { LAUNCH(store_shared<<<1, 1, 49153>>>(0, new_array(4))); }
static void shared_dynamic_1m() { LAUNCH(store_shared<<<1, 1, 1 << 20>>>(0, new_array(4))); }
static void shared_static_and_dynamic() { LAUNCH(static_shared<<<1, 1024, 46000>>>(new_array(4096))); }
static void shared_attribute()
{
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    LAUNCH(store_shared<<<1, 1, 64 * 1024>>>(0, new_array(4)));
    LAUNCH(store_shared<<<1, 1, 64 * 1024 + 16>>>(0, new_array(4)));
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    CALL(cudaFuncSetAttribute(store_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(store_shared, (cudaFuncAttribute)99, 1));
    CALL(cudaGetLastError());
}
static void kernel_null()
{
    int x = 0;
    void *args[] = {&x};
    CALL(cudaLaunchKernel((const void *)NULL, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)host_var, dim3(1), dim3(1), args, 0, 0));
    CALL(cudaLaunchKernel((const void *)nothing, dim3(1), dim3(1), NULL, 0, 0));
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, (const void *)host_var));
    CALL(cudaFuncGetAttributes(&a, (const void *)NULL));
    CALL(cudaFuncGetAttributes(NULL, (const void *)nothing));
    CALL(cudaFuncSetAttribute((const void *)host_var, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    CALL(cudaFuncSetCacheConfig(nothing, (cudaFuncCache)17));
    CALL(cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferL1));
}
static void no_image()
{
    LAUNCH(nothing<<<1, 1>>>());
    CALL(cudaDeviceSynchronize());
    cudaFuncAttributes a;
    CALL(cudaFuncGetAttributes(&a, nothing));
    void *p;
    CALL(cudaGetSymbolAddress(&p, device_var));
    int x[4];
    CALL(cudaMemcpyFromSymbol(x, device_var, 4));
    CALL(cudaMalloc(&p, 4));
    CALL(cudaGetLastError());
}
static void cooperative_too_large()
{
    void *args[] = {NULL};
    CALL(cudaLaunchCooperativeKernel(nothing, dim3(1 << 20), dim3(1024), args, 0, 0));
    CALL(cudaLaunchCooperativeKernel(nothing, dim3(2), dim3(64), args, 0, 0));
    CALL(cudaDeviceSynchronize());
}
static void registers_1024() { LAUNCH(many_registers<<<1, 1024>>>((float *)new_array(96 * 4096))); CALL(cudaDeviceSynchronize()); }
static void registers_256() { LAUNCH(many_registers<<<1, 256>>>((float *)new_array(96 * 4096))); CALL(cudaDeviceSynchronize()); }
static void launch_ex()
{
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(1);
    config.blockDim = dim3(2048);
    CALL(cudaLaunchKernelExC(&config, (const void *)nothing, NULL));
    config.blockDim = dim3(1);
    CALL(cudaLaunchKernelExC(&config, (const void *)nothing, NULL));
}

