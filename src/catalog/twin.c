#include "config.h"
#include "catalog/list.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a twin must have, from its row of the catalogue. */
typedef struct twin {
    int64_t rows;
    int64_t cols;
    int64_t entries;
    double symmetry; /* of the pattern, 0 to 1 */
    int full;        /* 1: with its whole diagonal */
    double mean;     /* entries a row besides the diagonal, both sides of all pairs, and a few more
                        that are thinned out again */
} twin_t;

/* Writes the generator and its own keys. */
typedef void family_fn(const twin_t *t, rc_str_t *spec);

/* ------------------------------------------------------------------ families */

/* The power-th root of x >= 0, by bisection: the same on every machine. */
static double root(double x, int power)
{
    double low = 0;
    double high = x > 1 ? x : 1;
    for (int k = 0; k < 100; k++) {
        double middle = (low + high) / 2;
        double p = middle * middle * (power == 3 ? middle : 1);
        if (p <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A radius graph with that many entries in the end: what the border cuts off is asked for too. */
static void radius_graph(const twin_t *t, int dim, int64_t dof, const char *points, rc_str_t *spec)
{
    const double lost =
        0.2; /* of a circle or ball, on average within one radius of a straight border */
    double nodes = (double)t->rows / (double)dof;
    double near = (t->mean + 1) / (double)dof;
    double radius = dim == 2 ? root(near / 3.14, 2) : root(near / 4.19, 3);
    double share = 2 * dim * lost * radius / root(nodes, dim);
    double factor = share < 0.6 ? 1 / (1 - share) : 2.5;
    double mean = (t->mean + 1) * factor;
    rc_str_addf(spec, "geometric:n=%" PRId64 ",dim=%d,mean=%.3f,dof=%" PRId64 "%s", t->rows, dim,
        fmin(mean, 1e5), dof, points);
}

/* Unknowns per node, so that a node has at least the neighbours of a mesh. */
static void mesh(const twin_t *t, rc_str_t *spec)
{
    int64_t dof = t->mean >= 36 ? 3 : t->mean >= 17 ? 2 : 1;
    int dim = t->mean / (double)dof > 9 ? 3 : 2;
    radius_graph(t, dim, dof, ",lattice=1,jitter=0.5", spec);
}

static void flat_mesh(const twin_t *t, rc_str_t *spec)
{
    radius_graph(t, 2, 1, ",lattice=1,jitter=0.5", spec);
}

static void molecule(const twin_t *t, rc_str_t *spec)
{
    radius_graph(t, 3, 1, "", spec);
}

static void geometric(const twin_t *t, rc_str_t *spec)
{
    radius_graph(t, 2, 1, "", spec);
}

static void triangulation(const twin_t *t, rc_str_t *spec)
{
    rc_str_addf(spec, "triangulation:n=%" PRId64, t->rows);
}

static void honeycomb(const twin_t *t, rc_str_t *spec)
{
    rc_str_addf(spec, "honeycomb:n=%" PRId64, t->rows);
}

static void road(const twin_t *t, rc_str_t *spec)
{
    if (t->mean > 4) { /* no road network has so many */
        flat_mesh(t, spec);
        return;
    }
    /* entries a row are 2 + 2 (2 keep - 1) / chain; with keep = 0.9 */
    double chain = t->mean > 2.01 ? 1.6 / (t->mean - 2) : 160;
    rc_str_addf(spec, "road:n=%" PRId64 ",chain=%.3f,keep=0.9", t->rows, chain < 1 ? 1 : chain);
}

static void communities(const twin_t *t, rc_str_t *spec)
{
    double size = 1.3 * t->mean + 4;
    double count = (double)t->rows / size;
    /* in communities little larger than the degree every other draw is there already */
    double mean = 1.8 * t->mean;
    rc_str_addf(spec, "sbm:n=%" PRId64 ",communities=%.0f,mean=%.3f,outside=0.1", t->rows,
        count < 1 ? 1 : floor(count), fmin(mean, 1e5));
}

static void random_graph(const twin_t *t, rc_str_t *spec)
{
    rc_str_addf(spec, "sbm:n=%" PRId64 ",communities=1,mean=%.3f", t->rows, fmin(t->mean, 1e5));
}

static void social(const twin_t *t, rc_str_t *spec)
{
    double mean = 1.3 * t->mean;
    rc_str_addf(spec, "lfr:n=%" PRId64 ",mean=%.3f,skew=3,smallest=%.0f", t->rows, fmin(mean, 1e5),
        20 + floor(2 * t->mean));
}

static void citation(const twin_t *t, rc_str_t *spec)
{
    double mean = 1.2 * (double)t->entries / (double)t->rows;
    rc_str_addf(spec, "citation:n=%" PRId64 ",mean=%.3f", t->rows, fmin(mean, 1e5));
}

static void wires(const twin_t *t, int dense, rc_str_t *spec)
{
    /* mirror images come in: each row draws half; dense rows have some 16 times that */
    double half = t->mean / 2;
    rc_str_addf(spec, "circuit:n=%" PRId64 ",mean=%.3f,reach=%.0f,dense=%d,share=%.6f", t->rows,
        fmin(half, 1000), 3 + floor(half), dense,
        half < 128 ? half / 32 / (1 + 0.002 * (double)t->rows) : 1);
}

static void circuit(const twin_t *t, rc_str_t *spec)
{
    wires(t, 4, spec);
}

/* Busbars and lines: as a circuit, with none that is joined to everything. */
static void grid(const twin_t *t, rc_str_t *spec)
{
    wires(t, 0, spec);
}

static void uniform(const twin_t *t, rc_str_t *spec)
{
    double mean = (double)t->entries / (double)t->rows;
    rc_str_addf(spec, "uniform:n=%" PRId64 ",cols=%" PRId64 ",mean=%.3f", t->rows, t->cols,
        fmin(mean, 1e5));
}

/* `linked`: share of the entries that is in a few constraints which reach over everything. */
static void saddle_point(const twin_t *t, double linked, rc_str_t *spec)
{
    if (t->rows < 2) {
        uniform(t, spec);
        return;
    }
    double mean = t->mean * (1 - linked);
    double touch = mean / 3;
    double neighbours = (mean - 0.66 * touch) / 0.67;
    double filled = t->mean * linked / 2 / 4 / 0.67; /* mirrored, four of them */
    touch = touch < 1e4 ? touch : 1e4;
    rc_str_addf(spec,
        "kkt:n=%" PRId64 ",neighbours=%.3f,touch=%.3f,window=%.0f,linking=4,filled=%.6f", t->rows,
        fmin(neighbours, 1e4), touch, 16 + floor(8 * touch), fmin(filled, 1));
}

static void saddle(const twin_t *t, rc_str_t *spec)
{
    saddle_point(t, 1.0 / 3, spec);
}

static void control_of_field(const twin_t *t, rc_str_t *spec)
{
    saddle_point(t, 0, spec);
}

/* Neighbouring rows that see the same unknowns. */
static void observations(const twin_t *t, rc_str_t *spec)
{
    double mean = (double)t->entries / (double)t->rows;
    int64_t clusters = t->rows / 4 > 1 ? t->rows / 4 : 1;
    rc_str_addf(spec,
        "rowclusters:rows=%" PRId64 ",cols=%" PRId64 ",clusters=%" PRId64
        ",own=%.0f,share=0.9,noise=0",
        t->rows, t->cols, clusters, fmin(floor(mean * 1.2) + 1, 1e6));
}

/* Rows of one length; eight at a time share a column or two, as simplices share faces. */
static void incidence(const twin_t *t, rc_str_t *spec)
{
    double mean = (double)t->entries / (double)t->rows;
    int shared = mean < 7 ? 1 : 2;
    int64_t clusters = t->rows / 8 > 1 ? t->rows / 8 : 1;
    rc_str_addf(spec,
        "rowclusters:rows=%" PRId64 ",cols=%" PRId64 ",clusters=%" PRId64
        ",own=%d,share=1,noise=%.3f",
        t->rows, t->cols, clusters, shared, mean > shared ? mean - shared : 0);
}

static void program(const twin_t *t, rc_str_t *spec)
{
    double mean = 0.9 * (double)t->entries / (double)t->cols;
    double share = 0.02 * (double)t->entries / (double)t->cols;
    rc_str_addf(spec, "lp:rows=%" PRId64 ",cols=%" PRId64 ",mean=%.3f,linking=5,share=%.6f,slack=0",
        t->rows, t->cols, fmin(mean, 1e4), fmin(share, 1));
}

static void ratings(const twin_t *t, rc_str_t *spec)
{
    double mean = 1.3 * (double)t->entries / (double)t->rows;
    rc_str_addf(spec, "bipartite:rows=%" PRId64 ",cols=%" PRId64 ",mean=%.3f", t->rows, t->cols,
        fmin(mean, 1e6));
}

/* --------------------------------------------------------------------- rules */

enum { ANY, SQUARE, OBLONG };
enum { AS_IT_COMES, LOST }; /* numbering */
enum { WITH_DIAGONAL, WITHOUT, AS_MADE };

/* The first rule that fits makes the twin. */
typedef struct rule {
    const char *name; /* globs */
    const char *kind;
    int shape;
    int numbering;
    int diagonal;
    family_fn *write;
} rule_t;

static const rule_t rules[] = {
    {"delaunay_*", "*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"rgg_n_*", "*", SQUARE, AS_IT_COMES, WITHOUT, geometric},
    {"huge*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, honeycomb},
    {"*_osm", "*", SQUARE, AS_IT_COMES, WITHOUT, road},
    {"*road*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, road},
    {"fe_*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, flat_mesh},
    /* of the study of Lane and Booth 2022: their kind says graph, and they are meshes */
    {"333SP", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"AS365", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"M6", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"NACA0015", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"NLR", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, triangulation},
    {"venturiLevel3", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, flat_mesh},
    {"*-500x100x100-*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, mesh},
    {"Spielman_k*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, honeycomb},
    {"debr", "*graph*", SQUARE, LOST, WITHOUT, random_graph},
    {"cit-*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, citation},
    {"patents*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, citation},
    {"*", "*bipartite*", ANY, LOST, WITHOUT, ratings},
    {"*", "term/document*", ANY, LOST, WITHOUT, ratings},
    {"*", "data analytics*", OBLONG, LOST, WITHOUT, ratings},
    {"*", "*graph*", OBLONG, LOST, WITHOUT, ratings},
    {"*", "*graphics*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, mesh},
    {"*", "*random*", SQUARE, AS_IT_COMES, WITHOUT, random_graph},
    {"web*", "*graph*", SQUARE, AS_IT_COMES, WITHOUT, social},
    {"*", "*graph*", SQUARE, LOST, WITHOUT, social},
    {"*", "*network*", OBLONG, LOST, WITHOUT, ratings},
    {"*", "biochemical network*", SQUARE, LOST, WITHOUT, social},
    {"*", "combinatorial*", OBLONG, AS_IT_COMES, WITHOUT, incidence},
    {"*", "combinatorial*", SQUARE, AS_IT_COMES, WITHOUT, uniform},
    {"*", "*least squares*", OBLONG, AS_IT_COMES, WITHOUT, observations},
    {"*", "*", OBLONG, AS_IT_COMES, WITHOUT, program},
    {"*", "*circuit*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, circuit},
    {"*", "*power network*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, grid},
    {"nlpkkt*", "*", SQUARE, AS_IT_COMES, AS_MADE, control_of_field},
    {"cont-*", "*optimization*", SQUARE, AS_IT_COMES, AS_MADE, control_of_field},
    {"*", "*optimization*", SQUARE, AS_IT_COMES, AS_MADE, saddle},
    {"*", "*optimal control*", SQUARE, AS_IT_COMES, AS_MADE, saddle},
    {"*", "*linear programming*", SQUARE, AS_IT_COMES, AS_MADE, saddle},
    {"*", "*chemical process*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, communities},
    {"*", "*robotics*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, communities},
    {"*", "*economic*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, social},
    {"*", "*chemistry*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, molecule},
    {"*", "*", SQUARE, AS_IT_COMES, WITH_DIAGONAL, mesh},
};

static const rule_t *rule_of(const rc_entry_t *e)
{
    int square = e->rows == e->cols;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((rules[i].shape == ANY || (rules[i].shape == SQUARE) == square) &&
            rc_glob_match(rules[i].name, rc_entry_short_name(e)) &&
            rc_glob_match(rules[i].kind, e->kind))
            return &rules[i];
    return NULL; /* not reached: the last two rules take everything */
}

/* Whether the pairs have room beside so long a diagonal. */
static int has_room(const twin_t *t, double diagonal)
{
    double n = (double)t->rows;
    double off = (double)t->entries - diagonal;
    return off >= 0 && off * (1 - t->symmetry / 2) < n * (n - 1) / 2 - 1;
}

static void add_form(const twin_t *t, const rule_t *r, uint64_t seed, rc_str_t *spec)
{
    rc_str_addf(spec, ",entries=%" PRId64, t->entries);
    if (t->rows == t->cols) {
        int keep = r->diagonal == AS_MADE && has_room(t, (double)t->rows);
        rc_str_addf(spec, ",diagonal=%s", t->full ? "full" : keep ? "keep" : "none");
        if (r->write != citation)
            rc_str_addf(spec, ",symmetry=%.10g", t->symmetry);
    }
    if (r->numbering == LOST)
        rc_str_add(spec, ",shuffle=both");
    rc_str_addf(spec, ",seed=%" PRIu64, seed);
}

/* The spec of the twin, from malloc. */
static char *spec_of(const rc_entry_t *e, const rule_t *r, rc_err_t *err)
{
    rc_str_t spec = {0};
    int64_t n = e->rows > 0 ? e->rows : 1;
    twin_t t = {.rows = n,
        .cols = e->cols > 0 ? e->cols : 1,
        .entries = e->pattern_nnz,
        .symmetry = e->pattern_symmetry >= 0 ? e->pattern_symmetry : 0};
    t.full = (r->diagonal == WITH_DIAGONAL && has_room(&t, (double)n)) || !has_room(&t, 0);
    if (t.full && t.entries < n)
        t.full = 0;
    double off = (double)(t.entries - (t.full ? n : 0)) / (double)n;
    t.mean = 1.05 * off * (2 - t.symmetry) + 0.05;
    r->write(&t, &spec);
    rc_digest_t d = rc_digest(e->name, strlen(e->name));
    add_form(&t, r, d.lo >> 33, &spec);
    return rc_str_take(&spec, "the spec of a twin", err);
}

static rc_status_t append_twin(rc_catalog_t *b, const rc_entry_t *e, rc_err_t *err)
{
    rc_entry_t *twin = NULL;
    rc_status_t st = RC_ENOMEM;
    char *group = rc_strf("a twin", err, RC_TWIN "%s", e->group);
    char *kind = rc_strf("a twin", err, RC_TWIN " %s", e->kind);
    char *spec = spec_of(e, rule_of(e), err);
    if (group && kind && spec)
        st = rc_catalog_append(b, group, rc_entry_short_name(e), kind, &twin, err);
    if (st == RC_OK)
        st = rc_entry_set_location(twin, RC_WHERE_GENERATED, spec, err);
    free(group);
    free(kind);
    free(spec);
    RC_PASS(st);
    twin->rows = e->rows;
    twin->cols = e->cols;
    twin->nnz = twin->pattern_nnz = e->pattern_nnz;
    twin->real = 1;
    twin->binary = twin->posdef = 0;
    twin->nd = e->nd;
    twin->pattern_symmetry = e->pattern_symmetry;
    twin->numerical_symmetry = 0;
    twin->mtime_ns = rc_generator_version(twin->location);
    return RC_OK;
}

rc_status_t rc_catalog_twins(const rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err)
{
    rc_catalog_t b = {0};
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < index->count; i++)
        st = append_twin(&b, &index->entry[i], err);
    if (st < 0) {
        rc_catalog_free(&b);
        return st;
    }
    memcpy(b.revision, index->revision, sizeof b.revision);
    *out = b;
    return RC_OK;
}
