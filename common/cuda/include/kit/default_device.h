/* Behind the headers, with -default-device: functions that say nothing are for the device, too. */
#pragma clang force_cuda_host_device begin
