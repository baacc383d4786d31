/* Lab 04: what is worked out for each reading. The kernel and the judge use this same code.
 *
 * A sensor that looks at brightness y reads r = y + BEND * y * y. Solved for y by going round: each turn of
 * y = r - BEND * y * y halves the error at least, for r from -1 to 1. In double, so that a kernel has
 * something to do: on most cards a double takes 32 times as long as a float.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#define CALIBRATION_BEND  0.25
#define CALIBRATION_TURNS 24

#ifdef __CUDACC__
__host__ __device__
#endif
    static inline float
    calibrated(float reading)
{
    double y = reading;
    for (int turn = 0; turn < CALIBRATION_TURNS; turn++)
        y = reading - CALIBRATION_BEND * (y * y);
    return (float)y;
}

#endif
