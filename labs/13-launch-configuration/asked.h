/* Lab 13: the blocks whose occupancy the cases ask for, and the outputs that it goes to. */
#ifndef ASKED_H
#define ASKED_H

static const struct {
    int threads;
    const char *key;
} asked[] = {{1, "occupancy_1"},     {32, "occupancy_32"},   {33, "occupancy_33"},    {48, "occupancy_48"},
             {96, "occupancy_96"},   {256, "occupancy_256"}, {384, "occupancy_384"},  {512, "occupancy_512"},
             {768, "occupancy_768"}, {900, "occupancy_900"}, {1024, "occupancy_1024"}};
enum { N_ASKED = sizeof asked / sizeof asked[0] };

#endif
