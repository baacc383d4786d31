/* The kernels of a timed run (speed.c), in PTX written by hand, so that the harness needs no compiler for
 * devices: the driver, or the virtual GPU, translates them when a run is timed and never else.
 *
 *   fill   word i of an array becomes mix(seed + i), as it is (kind 0), as a whole float from -7 to 7 (1), as
 *          a whole number from -7 to 7 (2), or as the number of a word of the array (3). The mean of the
 *          small ones is 0: sums of millions of them stay far below 2^24, and so are exact in any order
 *   fold   adds mix(word i + mix(seed + i)) over all words to a sum of 64 bits: the same in any order
 *   spend  n rounds of SPEED_FMAS multiply-adds in each thread, eight of which do not wait for each other:
 *          for the ceiling
 *
 * mix is SplitMix64's; all loops go from the thread's number in strides of the grid.
 */
#ifndef COMMON_LAB_SPEED_KERNELS_H
#define COMMON_LAB_SPEED_KERNELS_H

enum { SPEED_FMAS = 64 };

/* x = mix(x), with t for a scratch register. */
#define SPEED_MIX(x)                                                                                         \
    "add.u64 " x ", " x ", 0x9E3779B97F4A7C15;\n shr.u64 %t, " x ", 30;\n xor.b64 " x ", " x ", %t;\n"       \
    "mul.lo.u64 " x ", " x ", 0xBF58476D1CE4E5B9;\n shr.u64 %t, " x ", 27;\n xor.b64 " x ", " x ", %t;\n"    \
    "mul.lo.u64 " x ", " x ", 0x94D049BB133111EB;\n shr.u64 %t, " x ", 31;\n xor.b64 " x ", " x ", %t;\n"

/* %i: the thread's number in the grid, %step: how many threads there are. */
#define SPEED_PLACE                                                                                          \
    ".reg .pred %p;\n .reg .u32 %a, %b, %c;\n .reg .u64 %i, %step, %n, %at, %t;\n"                           \
    "mov.u32 %a, %ctaid.x;\n mov.u32 %b, %ntid.x;\n mov.u32 %c, %tid.x;\n"                                   \
    "mad.wide.u32 %i, %a, %b, 0;\n cvt.u64.u32 %t, %c;\n add.u64 %i, %i, %t;\n"                              \
    "mov.u32 %a, %nctaid.x;\n mul.wide.u32 %step, %a, %b;\n"

#define SPEED_EIGHT                                                                                          \
    "fma.rn.f32 %s0, %s0, %x, %y;\n fma.rn.f32 %s1, %s1, %x, %y;\n fma.rn.f32 %s2, %s2, %x, %y;\n"           \
    "fma.rn.f32 %s3, %s3, %x, %y;\n fma.rn.f32 %s4, %s4, %x, %y;\n fma.rn.f32 %s5, %s5, %x, %y;\n"           \
    "fma.rn.f32 %s6, %s6, %x, %y;\n fma.rn.f32 %s7, %s7, %x, %y;\n"

static const char speed_kernels[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"

    ".visible .entry speed_fill(.param .u64 to, .param .u64 words, .param .u64 seed, .param .u32 "
    "kind)\n{\n" SPEED_PLACE ".reg .u64 %to, %seed, %x;\n .reg .u32 %kind, %w;\n .reg .s32 %s;\n .reg .f32 "
    "%f;\n .reg .pred %raw, %whole, %place, %lowest;\n .reg .u32 %words;\n"
    "ld.param.u64 %to, [to];\n cvta.to.global.u64 %to, %to;\n ld.param.u64 %n, [words];\n"
    "ld.param.u64 %seed, [seed];\n ld.param.u32 %kind, [kind];\n"
    "setp.eq.u32 %raw, %kind, 0;\n setp.eq.u32 %whole, %kind, 2;\n setp.eq.u32 %place, %kind, 3;\n "
    "cvt.u32.u64 %words, %n;\n"
    "next:\n setp.ge.u64 %p, %i, %n;\n @%p bra done;\n"
    "add.u64 %x, %seed, %i;\n" SPEED_MIX(
        "%x") "cvt.u32.u64 %w, %x;\n @%raw bra store;\n @!%place bra small;\n mul.hi.u32 %w, %w, %words;\n "
              "bra store;\n small:\n "
              "shr.u32 %w, %w, 28;\n mov.b32 %s, %w;\n sub.s32 %s, %s, 8;\n setp.eq.s32 %lowest, %s, -8;\n "
              "@%lowest mov.u32 %s, 0;\n mov.b32 %w, %s;\n @%whole bra "
              "store;\n"
              "cvt.rn.f32.s32 %f, %s;\n mov.b32 %w, %f;\n"
              "store:\n shl.b64 %at, %i, 2;\n add.u64 %at, %to, %at;\n st.global.u32 [%at], %w;\n"
              "add.u64 %i, %i, %step;\n bra next;\n"
              "done:\n ret;\n}\n"

              ".visible .entry speed_fold(.param .u64 from, .param .u64 words, .param .u64 seed, .param .u64 "
              "sum)\n{\n" SPEED_PLACE ".reg .u64 %from, %seed, %x, %y, %sum, %to, %old;\n .reg .u32 %w;\n"
              "ld.param.u64 %from, [from];\n cvta.to.global.u64 %from, %from;\n ld.param.u64 %n, [words];\n"
              "ld.param.u64 %seed, [seed];\n ld.param.u64 %to, [sum];\n cvta.to.global.u64 %to, %to;\n "
              "mov.u64 %sum, 0;\n"
              "setp.ge.u64 %p, %i, %n;\n @%p bra done;\n"
              "next:\n add.u64 %x, %seed, %i;\n" SPEED_MIX(
                  "%x") "shl.b64 %at, %i, 2;\n add.u64 %at, %from, %at;\n ld.global.u32 %w, [%at];\n "
                        "cvt.u64.u32 %y, %w;\n"
                        "add.u64 %x, %x, %y;\n" SPEED_MIX(
                            "%x") "add.u64 %sum, %sum, %x;\n add.u64 %i, %i, %step;\n setp.lt.u64 %p, %i, "
                                  "%n;\n @%p bra next;\n"
                                  "atom.global.add.u64 %old, [%to], %sum;\n"
                                  "done:\n ret;\n}\n"

                                  ".visible .entry speed_spend(.param .u64 to, .param .u64 "
                                  "rounds)\n{\n" SPEED_PLACE ".reg .f32 %s<8>, %x, %y;\n .reg .u64 %to;\n"
                                  "ld.param.u64 %to, [to];\n cvta.to.global.u64 %to, %to;\n ld.param.u64 %n, "
                                  "[rounds];\n"
                                  "cvt.rn.f32.u32 %x, %c;\n mov.f32 %y, 0f3F000000;\n mul.f32 %x, %x, "
                                  "0f3A000000;\n"
                                  "mov.f32 %s0, %x;\n mov.f32 %s1, %x;\n mov.f32 %s2, %x;\n mov.f32 %s3, "
                                  "%x;\n"
                                  "mov.f32 %s4, %x;\n mov.f32 %s5, %x;\n mov.f32 %s6, %x;\n mov.f32 %s7, "
                                  "%x;\n"
                                  "next:\n setp.eq.u64 %p, %n, 0;\n @%p bra done;\n" SPEED_EIGHT SPEED_EIGHT
                                      SPEED_EIGHT SPEED_EIGHT SPEED_EIGHT SPEED_EIGHT SPEED_EIGHT SPEED_EIGHT
                                  "sub.u64 %n, %n, 1;\n bra next;\n"
                                  "done:\n add.f32 %s0, %s0, %s1;\n add.f32 %s2, %s2, %s3;\n add.f32 %s4, "
                                  "%s4, %s5;\n add.f32 %s6, %s6, %s7;\n"
                                  "add.f32 %s0, %s0, %s2;\n add.f32 %s4, %s4, %s6;\n add.f32 %s0, %s0, %s4;\n"
                                  "setp.neu.f32 %p, %s0, 0fC2280000;\n @%p bra end;\n st.global.f32 [%to], "
                                  "%s0;\n" /* never: it is not -42 */
                                  "end:\n ret;\n}\n";

#endif
