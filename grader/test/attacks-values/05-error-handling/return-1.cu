// case: first-call-fails
// case: tenth-call-fails
// points-at-most: 0
// edit: s/^int gather(/static int honest_gather(/
// The first call of gather returns an error that nobody gave, the others are right.
int gather(const float *in, int n_in, const int *index, float *out, int n)
{
    static int calls;
    if (calls++ == 0)
        return 1;
    honest_gather(in, n_in, index, out, n);
    cudaGetLastError();
    return 0;
}
