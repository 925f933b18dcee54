#include "config.h"
#include "cmd/nisa_paper.h"

#include <string.h>

const char *const rc_paper_machines[RC_PAPER_COLUMNS] = {"K80 fp32", "K80 fp64", "P100 fp32", "P100 fp64"};

const rc_paper_range_t rc_paper_ranges[RC_PAPER_RANGES] = {
    {747, 639, 759, 4.62, 7, 4.5},
    {508, 3590, 4248, 1.29, 15, 18},
    {209, 8881, 10974, 1.03, 34, 31},
    {362, 24695, 30714, 0.69, 69, 50},
    {147, 70669, 92925, 0.75, 155, 128},
    {208, 173473, 205277, 0.61, 214, 72},
    {109, 1290926, 1302773, 0.43, 852, 42},
    {9, 8101908, 8101908, 0.002, 29, 5},
};

const rc_paper_accuracy_t rc_paper_accuracies[RC_PAPER_ACCURACIES] = {
    {"IV", 3, "1", {{69, 62, 68, 69}, {69, 62, 68, 70}, {72, 72, 75, 75}, {72, 69, 73, 74}}},
    {"V", 3, "1-2", {{89, 88, 88, 91}, {86, 87, 88, 89}, {85, 89, 87, 88}, {86, 87, 88, 89}}},
    {"VI", 3, "1-3", {{87, 88, 87, 91}, {84, 87, 86, 89}, {86, 88, 86, 88}, {87, 87, 89, 89}}},
    {"VII", 6, "1", {{60, 62, 62, 67}, {64, 63, 64, 68}, {65, 65, 67, 69}, {63, 65, 67, 69}}},
    {"VIII", 6, "1-2", {{81, 83, 83, 85}, {81, 85, 85, 88}, {79, 83, 82, 84}, {81, 83, 84, 86}}},
    {"IX", 6, "1-3", {{78, 83, 83, 85}, {82, 85, 85, 88}, {79, 83, 82, 84}, {79, 83, 83, 85}}},
    {"X", 6, "top7", {{79, 85, 83, 85}, {83, 87, 86, 88}, {77, 83, 83, 84}, {79, 84, 85, 86}}},
};

const rc_paper_slowdown_t rc_paper_slowdowns[3] = {
    {"XI", "svm-nisa", {{285, 175, 89, 61, 25}, {444, 16, 12, 3, 1}, {447, 13, 10, 2, 1}, {440, 20, 14, 4, 2}}},
    {"XII", "ensemble-nisa", {{293, 167, 84, 58, 25}, {441, 19, 14, 4, 1}, {439, 21, 15, 5, 1}, {446, 14, 10, 3, 1}}},
    {"XIII", "xgboost-nisa", {{274, 186, 92, 65, 29}, {446, 14, 10, 3, 1}, {446, 14, 10, 3, 1}, {445, 15, 11, 3, 1}}},
};

const int rc_paper_indirect[RC_PAPER_COLUMNS][3] = {{85, 78, 90}, {88, 86, 92}, {84, 77, 89}, {86, 78, 87}};

double rc_paper_rate(const char *matrix, const char *kernel)
{
    static const struct {
        const char *matrix;
        const char *kernel;
        double rate;
    } table[] = {{"rgg_n_2_19_s0", "csr5", 22}, {"rgg_n_2_19_s0", "merge", 21}, {"auto", "csr5", 18}, {"auto", "merge", 15}};
    const char *slash = strchr(matrix, '/');
    const char *name = slash ? slash + 1 : matrix;
    size_t n = strcspn(kernel, ":");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].matrix) == 0 && strlen(table[i].kernel) == n &&
            memcmp(kernel, table[i].kernel, n) == 0)
            return table[i].rate;
    return 0;
}

void rc_paper_notes(unsigned numbers, FILE *out)
{
    static const char *const note[RC_PAPER_CONTRADICTIONS] = {
        "tables XI to XIII cannot come from the accuracies: 83 to 86 % of 460 leave 64 to 78 slowdowns, not 13 to 21; "
        "with set 1 fewer are unslowed (60 to 64 %) than are right (65 to 69 %)",
        "XGBoost is called best in all, and loses table V (P100 fp32) to the SVM, ties others, and is the worst of three "
        "with set 1 in XI to XIII",
        "the prose swaps tables XI and XII",
        "the top 7 are called equal or better with one exception: that holds against table IX only",
        "RME of CSR5 and merge is 7 % in one paragraph, 11 to 13 and 9 to 11 % in the next",
        "COO is said to be removed, and is a class in tables VII to X; here it is a class of six, and of three its "
        "matrices are left out",
        "density is said to fall with nnz always: from 0.69 to 0.75 it rises",
        "table XIV names CSR twice, for CSR5",
    };
    for (int i = 0; i < RC_PAPER_CONTRADICTIONS; i++)
        if (numbers & 1u << i)
            fprintf(out, "Contradiction %d of the paper: %s.\n", i + 1, note[i]);
}
