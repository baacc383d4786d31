/* Lab 20: what you write, in capstone.cu.
 *
 * A network of two layers. Layer 1 makes `hidden` numbers of `inputs` numbers: relu(x * w1 + b1), where relu(v) is
 * v if v > 0, else 0. Layer 2 makes `classes` scores of these: h * w2 + b2. All arrays lie in device memory as cudaMalloc gave it, in
 * floats, row after row without gaps: w1 has `inputs` rows and `hidden` columns, w2 has `hidden` rows and `classes`
 * columns. A batch of m images is a matrix of m rows.
 *
 * Each function launches its kernels on the default stream, need not wait for them, and returns 0 (cudaSuccess) or
 * the code of the first CUDA call or launch that failed. All sizes are 1 to 1,024 (but n of classify, which
 * is 1 to 100,000); classes is at most 32.
 */
#ifndef CAPSTONE_H
#define CAPSTONE_H

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of a network; and, in the same form, the gradient of the loss in each of them. */
typedef struct Network {
    int inputs, hidden, classes;
    float *w1, *b1, *w2, *b2;
} Network;

/* Room for what is worked out on the way, for up to `images` (1 to 1,024) images at a time. Holds anything at first. */
typedef struct Workspace {
    int images;
    float *hidden;   /* images x hidden */
    float *scores;   /* images x classes */
    float *d_scores; /* images x classes: the gradient of the loss in the scores */
    float *d_hidden; /* images x hidden */
} Workspace;

/* TODO 1: y = x * w + bias, and if relu is not 0, relu of that. x is m x k, w is k x n, bias has n elements (one
 * for each column), y is m x n. */
int dense_forward(const float *x, const float *w, const float *bias, float *y, int m, int n, int k, int relu);

/* TODO 2: of each row of scores (m x classes) the probabilities p = softmax(row), and with the row's label
 * d_scores = share * (p - 1 in the label's place); *loss += share * the sum of -log(p of the label) over all rows.
 * Scores are from -1e38 to 1e38, and the sum fits into a float. */
int softmax_loss(const float *scores, const int *labels, float *d_scores, float *loss, int m, int classes,
                 float share);

/* TODO 3: the way back through a layer y = relu(x * w + bias), or without relu. dy is the gradient of the loss in
 * y. Where relu is not 0, and y is not above 0, dy counts as 0. Then
 *   dw += the transpose of x, times dy      db += the sums of dy's columns      dx = dy * the transpose of w
 * dx is NULL where nobody needs it. y is not read, and may be NULL, if relu is 0. x, w, y and dy stay as they are. */
int dense_backward(const float *x, const float *w, const float *y, const float *dy, float *dw, float *db, float *dx,
                   int m, int n, int k, int relu);

/* TODO 4: each parameter -= rate * its gradient, and each gradient = 0. */
int sgd_step(const Network *network, const Network *gradient, float rate);

/* TODO 5: a step of training with a batch of m images, of which `work` has room for work->images at a time. *loss,
 * which is 0 before, becomes the mean loss of the batch before the step. The gradient is that of the mean loss. It
 * is all 0 before, and all 0 afterwards. */
int train_step(const Network *network, const Network *gradient, const Workspace *work, const float *images,
               const int *labels, int m, float rate, float *loss);

/* TODO 6: digits[i] = the class with the highest score for image i (any of them, if several are). There are n
 * images, which may be many more than there is room for at a time. */
int classify(const Network *network, const Workspace *work, const float *images, int *digits, int n);

#ifdef __cplusplus
}
#endif

#endif
