#include "config.h"
#include "cmd/lane_paper.h"
#include "catalog/catalog.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const rc_lane_matrix_t matrices[] = {
    {"r1", "DIMACS10/belgium_osm", 1.0, 1.44, 3.10, 10, 2.15},
    {"r2", "DIMACS10/netherlands_osm", 1.0, 2.22, 4.88, 7, 2.20},
    {"r3", "SNAP/roadNet-TX", 1.0, 1.39, 3.84, 12, 2.76},
    {"r4", "SNAP/roadNet-CA", 1.0, 1.97, 5.53, 12, 2.81},
    {"r5", "SNAP/roadNet-PA", 1.0, 1.09, 3.08, 9, 2.83},
    {"r6", "DIMACS10/hugetrace-00000", 1.0, 4.59, 13.76, 3, 3.00},
    {"r7", "DIMACS10/hugetric-00000", 1.0, 5.82, 17.47, 3, 3.00},
    {"r8", "AG-Monien/debr", 1.0, 1.05, 4.19, 4, 4.00},
    {"r9", "DIMACS10/venturiLevel3", 1.0, 4.03, 16.11, 6, 4.00},
    {"r10", "Rajat/rajat31", 1.0, 4.69, 20.32, 1200, 4.33},
    {"r11", "AMD/G3_circuit", 1.0, 1.59, 7.66, 6, 4.83},
    {"r12", "McRae/ecology1", 1.0, 1.00, 5.00, 5, 5.00},
    {"r13", "DIMACS10/333SP", 1.0, 3.71, 22.22, 28, 5.98},
    {"r14", "DIMACS10/AS365", 1.0, 3.80, 22.74, 14, 5.98},
    {"r15", "DIMACS10/NACA0015", 1.0, 1.04, 6.23, 10, 5.99},
    {"r16", "DIMACS10/M6", 1.0, 3.50, 21.00, 10, 6.00},
    {"r17", "DIMACS10/NLR", 1.0, 4.16, 24.98, 20, 6.00},
    {"r18", "DIMACS10/delaunay_n20", 1.0, 1.05, 6.29, 23, 6.00},
    {"r19", "DIMACS10/delaunay_n21", 1.0, 2.10, 12.58, 23, 6.00},
    {"r20", "DIMACS10/delaunay_n22", 1.0, 4.19, 25.17, 23, 6.00},
    {"r21", "Bourchtein/atmosmodl", 1.0, 1.49, 10.32, 7, 6.93},
    {"r22", "Bourchtein/atmosmodm", 1.0, 1.49, 10.32, 7, 6.93},
    {"r23", "Bourchtein/atmosmodd", 1.0, 1.27, 8.81, 7, 6.94},
    {"r24", "Bourchtein/atmosmodj", 1.0, 1.27, 8.81, 7, 6.94},
    {"r25", "Schmid/thermal2", 1.0, 1.28, 8.58, 11, 6.99},
    {"r26", "Bodendiek/CurlCurl_3", 1.0, 1.22, 13.54, 13, 11.11},
    {"r27", "Bodendiek/CurlCurl_4", 1.0, 2.38, 26.52, 13, 11.14},
    {"r28", "Janna/StocF-1465", 1.0, 1.47, 21.01, 189, 14.34},
    {"r29", "Janna/Transport", 1.0, 1.60, 23.48, 15, 14.66},
    {"r30", "DIMACS10/packing-500x100x100-b050", 1.0, 2.15, 34.98, 18, 16.30},
    {"r31", "Schenk_AFE/af_shell10", 1.0, 1.51, 52.26, 35, 34.65},
    {"r32", "Hamrle/Hamrle3", 0.0, 1.45, 5.51, 9, 3.81},
    {"r33", "Freescale/circuit5M_dc", 0.9, 3.52, 14.87, 24, 4.22},
    {"r34", "Freescale/memchip", 0.9, 2.71, 13.34, 27, 4.93},
    {"r35", "Freescale/Freescale1", 0.9, 3.43, 17.05, 25, 4.97},
    {"i1", "SNAP/com-Youtube", 1.0, 1.13, 5.98, 28800, 5.27},
    {"i2", "Zaoui/kkt_power", 1.0, 2.06, 12.77, 90, 6.19},
    {"i3", "Freescale/FullChip", 1.0, 2.99, 26.62, 2300000, 8.91},
    {"i4", "Freescale/circuit5M", 1.0, 5.56, 59.52, 1300000, 10.71},
    {"i5", "SNAP/as-Skitter", 1.0, 1.70, 22.19, 35500, 13.08},
    {"i6", "DIMACS10/rgg_n_2_20_s0", 1.0, 1.05, 13.78, 36, 13.14},
    {"i7", "DIMACS10/rgg_n_2_21_s0", 1.0, 2.10, 28.98, 37, 13.82},
    {"i8", "vanHeukelum/cage14", 1.0, 1.51, 27.13, 41, 18.02},
    {"i9", "VLSI/dgreen", 1.0, 1.20, 26.61, 97, 22.16},
    {"i10", "VLSI/nv2", 1.0, 1.45, 37.48, 84, 25.78},
    {"i11", "Schenk/nlpkkt80", 1.0, 1.06, 28.19, 28, 26.54},
    {"i12", "Janna/Hook_1498", 1.0, 1.50, 59.37, 93, 39.64},
    {"i13", "Dziekonski/dielFilterV2real", 1.0, 1.16, 48.54, 110, 41.94},
    {"i14", "SNAP/wiki-Talk", 0.1, 2.39, 5.02, 3300, 2.10},
    {"i15", "SNAP/wiki-talk-temporal", 0.2, 1.14, 3.31, 3300, 2.90},
    {"i16", "Williams/webbase-1M", 0.1, 1.00, 3.11, 28600, 3.11},
    {"i17", "Pajek/patents", 0.0, 3.77, 14.97, 762, 3.97},
    {"i18", "SNAP/cit-Patents", 0.0, 3.77, 16.52, 779, 4.38},
    {"i19", "Freescale/Freescale2", 1.0, 3.00, 14.31, 14900, 4.77},
    {"i20", "Gleich/wikipedia-20051105", 0.1, 1.63, 19.75, 75500, 12.08},
    {"i21", "LAW/in-2004", 0.4, 1.38, 16.92, 21900, 12.23},
    {"i22", "Gleich/wikipedia-20060925", 0.1, 2.98, 37.27, 159000, 12.49},
    {"i23", "Gleich/wikipedia-20061104", 0.1, 3.15, 39.38, 168000, 12.51},
    {"i24", "Gleich/wikipedia-20070206", 0.1, 3.57, 45.03, 187000, 12.62},
    {"i25", "SNAP/sx-stackoverflow", 0.4, 2.60, 36.23, 22300, 13.93},
    {"i26", "SNAP/wiki-topcats", 0.2, 1.79, 28.51, 238000, 15.92},
    {"i27", "SNAP/soc-Pokec", 0.5, 1.63, 30.62, 230000, 18.75},
    {"i28", "VLSI/ss", 0.7, 1.65, 34.75, 27, 21.03},
    {"i29", "VLSI/vas_stokes_1M", 0.4, 1.09, 34.77, 1000, 31.88},
};

const rc_lane_matrix_t *rc_lane_matrix(const char *name)
{
    if (strncmp(name, RC_TWIN, strlen(RC_TWIN)) == 0)
        name += strlen(RC_TWIN);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        if (strcmp(name, matrices[i].name) == 0)
            return &matrices[i];
    return NULL;
}

static int is_kernel(const char *spec, const char *name)
{
    size_t n = strlen(name);
    return strncmp(spec, name, n) == 0 && strchr(":", spec[n]);
}

/* CSR-3 of the GPUs is csr35 here; NaN: not printed there. */
static const struct {
    const char *kernel;
    rc_suite_class_t class;
    double rate[RC_LANE_MACHINES];
} rates[] = {
    {"csr2", RC_SUITE_REGULAR, {44.1, 73.1, NAN, NAN}},
    {"csr2", RC_SUITE_IRREGULAR, {32.2, 36.5, NAN, NAN}},
    {"csr3", RC_SUITE_REGULAR, {38.5, NAN, NAN, NAN}},
    {"csr35", RC_SUITE_REGULAR, {NAN, NAN, 98.4, 187.3}},
    {"csr35", RC_SUITE_IRREGULAR, {NAN, NAN, 47.9, 76.1}},
    {"csr5", RC_SUITE_REGULAR, {35.3, 37.2, 93.0, 169.5}},
    {"csr5", RC_SUITE_IRREGULAR, {28.8, 22.1, 88.15, 168.8}},
    {"cusparse-spmv-csr", RC_SUITE_REGULAR, {NAN, NAN, NAN, 153.3}},
    {"cusparse-spmv-csr", RC_SUITE_IRREGULAR, {NAN, NAN, 98.2, 169.9}},
};

double rc_lane_rate(const char *kernel, rc_suite_class_t class, rc_lane_machine_t machine)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (is_kernel(kernel, rates[i].kernel) && class == rates[i].class)
            return rates[i].rate[machine];
    return NAN;
}

const char *rc_lane_lead(const char *kernel, const char *matrix, rc_lane_machine_t machine)
{
    static const struct {
        const char *matrix;
        const char *volta;
        const char *ampere;
    } leads[] = {
        {"SNAP/wiki-Talk", "1.251", "1.17"},
        {"Pajek/patents", "> 1.05", "> 1.05"},
        {"SNAP/as-Skitter", "> 1.05", "> 1.05"},
        {"AG-Monien/debr", "> 1.05", "> 1.05"},
        {"Freescale/FullChip", "", "> 1.05"},
    };
    const rc_lane_matrix_t *m = rc_lane_matrix(matrix);
    if (!is_kernel(kernel, "csr2") || !m || machine < RC_LANE_VOLTA)
        return "";
    for (size_t i = 0; i < sizeof leads / sizeof *leads; i++)
        if (strcmp(leads[i].matrix, m->name) == 0)
            return machine == RC_LANE_VOLTA ? leads[i].volta : leads[i].ampere;
    return "";
}

const char *rc_lane_scaling(const char *kernel, int threads)
{
    enum { printed = 16 };
    int is_there = is_kernel(kernel, "csr2") || is_kernel(kernel, "csr3") || is_kernel(kernel, "csr5");
    return threads == printed && is_there ? "8 to 12" : "";
}
