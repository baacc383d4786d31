/* Copies leave it to the addresses which way they go. */
#define cudaMemcpyHostToDevice cudaMemcpyDefault
#define cudaMemcpyDeviceToHost cudaMemcpyDefault
#define cudaMemcpyDeviceToDevice cudaMemcpyDefault
