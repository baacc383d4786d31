/* Digits as people might write them, in images of 12 x 12 pixels: drawn from a number, not collected.
 *
 * Each digit is a pen's way through some points. The points tremble, the whole digit moves, leans and changes its
 * size, the pen is thick or thin, and the paper has specks. All is done in whole numbers, so that an image has the
 * same bytes on every machine. Lengths are in sixteenths of a pixel.
 */
#ifndef DIGITS_H
#define DIGITS_H

#include <stdint.h>

enum { DIGITS_SIDE = 12, DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE, DIGITS_CLASSES = 10, DIGITS_POINTS_MAX = 10 };

typedef struct DigitPoint {
    int x, y;
} DigitPoint;

/* The pen's way; x from 0 to 96, y from 0 (top) to 128. */
typedef struct DigitStroke {
    int n;
    DigitPoint at[DIGITS_POINTS_MAX];
} DigitStroke;

static const DigitStroke digit_strokes[DIGITS_CLASSES] = {
    {9, {{48, 0}, {16, 20}, {4, 64}, {16, 108}, {48, 128}, {80, 108}, {92, 64}, {80, 20}, {48, 0}}},
    {3, {{24, 28}, {56, 0}, {56, 128}}},
    {7, {{8, 30}, {28, 4}, {68, 4}, {84, 34}, {56, 76}, {6, 126}, {92, 126}}},
    {8, {{8, 10}, {52, 0}, {84, 28}, {44, 60}, {88, 90}, {72, 120}, {36, 128}, {6, 112}}},
    {5, {{64, 128}, {64, 0}, {6, 88}, {40, 88}, {94, 88}}},
    {8, {{86, 2}, {20, 2}, {14, 56}, {56, 48}, {88, 76}, {80, 114}, {44, 128}, {6, 112}}},
    {9, {{76, 4}, {36, 24}, {10, 72}, {16, 112}, {48, 128}, {84, 108}, {82, 76}, {48, 62}, {12, 84}}},
    {4, {{6, 4}, {90, 4}, {54, 62}, {34, 128}}},
    {10, {{48, 60}, {14, 36}, {24, 4}, {72, 4}, {82, 36}, {48, 60}, {10, 94}, {30, 126}, {70, 126}, {48, 60}}},
    {8, {{82, 44}, {50, 62}, {16, 44}, {20, 8}, {56, 0}, {82, 20}, {82, 60}, {66, 128}}},
};

/* The next of a sequence of numbers that look like chance (SplitMix64). */
static inline uint32_t digit_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* A whole number from -most to most. */
static inline int digit_jitter(uint64_t *state, int most)
{
    return (int)(digit_random(state) % (uint32_t)(2 * most + 1)) - most;
}

/* The square of the distance from p to the line from a to b. */
static inline int64_t digit_distance(DigitPoint p, DigitPoint a, DigitPoint b)
{
    int64_t dx = b.x - a.x, dy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    int64_t along = px * dx + py * dy, length = dx * dx + dy * dy, across = px * dy - py * dx;
    if (along <= 0)
        return px * px + py * py;
    if (along >= length)
        return (p.x - b.x) * (int64_t)(p.x - b.x) + (p.y - b.y) * (int64_t)(p.y - b.y);
    return across * across / length;
}

/* Draws image `index` of the collection `seed`: pixels from 0 (paper) to 1 (ink), in steps of 1/256. Gives back
 * which digit it is. */
static inline int digit_draw(uint64_t seed, uint32_t index, float *pixels)
{
    uint64_t state = seed * 0xD1342543DE82EF95u + index * 0x2545F4914F6CDD1Du;
    int digit = (int)(digit_random(&state) % DIGITS_CLASSES);
    const DigitStroke *s = &digit_strokes[digit];
    DigitPoint way[DIGITS_POINTS_MAX];
    int size = 256 + digit_jitter(&state, 40), lean = digit_jitter(&state, 64);
    int left = 48 + digit_jitter(&state, 20), top = 32 + digit_jitter(&state, 16), pen = 15 + digit_jitter(&state, 4);
    for (int i = 0; i < s->n; i++) {
        int x = s->at[i].x - 48 + digit_jitter(&state, 9), y = s->at[i].y - 64 + digit_jitter(&state, 9);
        way[i].x = left + 48 + (x * size - y * lean) / 256;
        way[i].y = top + 64 + y * size / 256;
    }
    for (int p = 0; p < DIGITS_PIXELS; p++) {
        DigitPoint at = {p % DIGITS_SIDE * 16 + 8, p / DIGITS_SIDE * 16 + 8};
        int64_t nearest = digit_distance(at, way[0], way[1]);
        for (int i = 1; i + 1 < s->n; i++) {
            int64_t d = digit_distance(at, way[i], way[i + 1]);
            nearest = d < nearest ? d : nearest;
        }
        int64_t ink = 320 - 256 * nearest / (pen * pen) + digit_jitter(&state, 40);
        pixels[p] = (float)(ink < 0 ? 0 : ink > 256 ? 256 : ink) / 256;
    }
    return digit;
}

#endif
