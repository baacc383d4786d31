/* differential: answers of random kernels, and where two files of answers differ.
 *
 *   differential [--seeds=N] [--first=N] [--family=NAME]      a line a kernel: family, seed, hash, the hash of
 *                                                             each slot; families of approximate functions:
 *                                                             a line a slot with its values
 *   differential --seed=N --family=NAME [--ptx]               one kernel: each slot's instruction and values;
 *                                                             its PTX
 *   differential --compare=WANTED,GOT [--limit=N]             the kernels that differ, and the first instruction
 *                                                             that does
 *   differential --families                                   their names
 *
 * Exit status: 0; 1: files differ; 2: no device, or wrong use.
 */
#include "common/vgpu/differential/differential.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    uint64_t first, seeds, seed;
    bool one, ptx;
    int family, limit;
    const char *compare;
} Options;

static const struct option long_options[] = {{"seeds", required_argument, NULL, 'n'},
                                             {"first", required_argument, NULL, 'f'},
                                             {"family", required_argument, NULL, 'F'},
                                             {"seed", required_argument, NULL, 's'},
                                             {"compare", required_argument, NULL, 'c'},
                                             {"limit", required_argument, NULL, 'l'},
                                             {"ptx", no_argument, NULL, 'p'},
                                             {"families", no_argument, NULL, 'L'},
                                             {NULL, 0, NULL, 0}};

static int complain(const Diag *diag)
{
    fprintf(stderr, "differential: %s\n", diag->message);
    return 2;
}

static bool is_approximate(Family f)
{
    return strncmp(family_name(f), "approx", 6) == 0;
}

/* An input is beside its results in --seed's output: enough to work one out by hand. */
static void show_slots(const Kernel *k, const Answer *a)
{
    for (int s = 0; s < k->n_slots; s++) {
        printf("%s %llu slot %d: %s\n", family_name(k->family), (unsigned long long)k->seed, s,
               k->slots[s].text);
        for (int t = 0; t < THREADS; t++)
            printf("%llx%c", (unsigned long long)a->out[s][t], t % 8 == 7 ? '\n' : ' ');
    }
}

static void print_hashes(const Kernel *k, const Answer *a)
{
    const uint32_t own = answer_hash(a->own, OWN_BYTES / 8);
    printf("%s %llu %08x %08x", family_name(k->family), (unsigned long long)k->seed,
           answer_hash(a->out[0], k->n_slots * THREADS) ^ own, own);
    for (int s = 0; s < k->n_slots; s++)
        printf(" %08x", answer_hash(a->out[s], THREADS));
    putchar('\n');
}

static void print_values(const Kernel *k, const Answer *a)
{
    for (int s = 0; s < k->n_slots; s++) {
        printf("%s %llu.%d values", family_name(k->family), (unsigned long long)k->seed, s);
        for (int t = 0; t < THREADS; t++)
            printf(" %llx", (unsigned long long)a->out[s][t]);
        putchar('\n');
    }
}

static int run_kernel(Card *card, const Options *o, Family family, uint64_t seed)
{
    Kernel k;
    Diag diag = {0};
    static Answer answer;
    if (kernel_make(&k, family, seed, &diag) != STATUS_OK)
        return complain(&diag);
    if (o->ptx)
        fputs(k.ptx.text, stdout);
    else if (card_capability(card) < family_target(family))
        printf("%s %llu skipped\n", family_name(family), (unsigned long long)seed);
    else if (card_run(card, &k, &answer, &diag) != STATUS_OK)
        printf("%s %llu error %s\n", family_name(family), (unsigned long long)seed, diag.message);
    else if (o->one)
        show_slots(&k, &answer);
    else if (is_approximate(family))
        print_values(&k, &answer);
    else
        print_hashes(&k, &answer);
    fflush(stdout);
    generated_free(&k);
    return 0;
}

static int run_families(Card *card, const Options *o)
{
    int status = 0;
    for (int f = 0; f < N_FAMILIES && status == 0; f++) {
        if (o->family != N_FAMILIES && o->family != f)
            continue;
        const uint64_t n = o->one ? 1 : is_approximate((Family)f) ? (o->seeds + 9) / 10 : o->seeds;
        for (uint64_t i = 0; i < n && status == 0; i++)
            status = run_kernel(card, o, (Family)f, o->one ? o->seed : o->first + i);
    }
    return status;
}

static int compare_answers(char *names, int limit)
{
    Diag diag = {0};
    StrBuf text = {0};
    char *got = strchr(names, ',');
    if (!got)
        return 2;
    *got++ = '\0';
    const int n = compare_files(names, got, limit, &text, &diag);
    if (n < 0)
        return complain(&diag);
    strbuf_print(&text, stdout);
    return n > 0;
}

static bool parse_options(int argc, char **argv, Options *o)
{
    for (int c; (c = getopt_long(argc, argv, "", long_options, NULL)) != -1;)
        switch (c) {
        case 'n':
            o->seeds = strtoull(optarg, NULL, 10);
            break;
        case 'f':
            o->first = strtoull(optarg, NULL, 10);
            break;
        case 's':
            o->seed = strtoull(optarg, NULL, 10);
            o->one = true;
            break;
        case 'F':
            o->family = (int)family_find(optarg);
            if (o->family == N_FAMILIES)
                return false;
            break;
        case 'c':
            o->compare = optarg;
            break;
        case 'l':
            o->limit = atoi(optarg);
            break;
        case 'p':
            o->ptx = true;
            break;
        case 'L':
            for (int f = 0; f < N_FAMILIES; f++)
                puts(family_name((Family)f));
            exit(0);
        default:
            return false;
        }
    return optind == argc;
}

int main(int argc, char **argv)
{
    Options o = {.seeds = 100, .family = N_FAMILIES, .limit = 200};
    Card *card = NULL;
    Diag diag = {0};
    if (!parse_options(argc, argv, &o)) {
        fprintf(stderr,
                "differential: unknown option or family; main.c's first lines say how it is called\n");
        return 2;
    }
    if (o.compare)
        return compare_answers((char *)o.compare, o.limit);
    if (o.ptx)
        return run_families(NULL, &o);
    if (card_open(&card, &diag) != STATUS_OK)
        return complain(&diag);
    fprintf(stderr, "differential: %s, compute capability %d\n", card_name(card), card_capability(card));
    const int status = run_families(card, &o);
    card_close(card);
    return status;
}
