#include "config.h"
#include "analysis/papers/hong/c45.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 1e-3    /* of gains and of errors in training */
#define NEAR 1e-5     /* values that count as equal */
#define TOLERANCE 0.1 /* errors by which a smaller tree may be worse */
#define NORMAL_MOST 40.0

/* A node in the making holds the rows at [first, end) of the list; the sides of a split are
 * parts of it. */
typedef struct growing {
    int64_t first;
    int64_t end;
    int32_t input; /* -1: a leaf */
    double threshold;
    int32_t left;
    int32_t right;
    int32_t label;
    double wrong; /* samples of other labels */
} growing_t;

typedef struct pair {
    double x;
    int64_t row;
} pair_t;

typedef struct tree {
    const rc_c45_samples_t *s;
    const rc_c45_options_t *o;
    int64_t *list;   /* [n] rows by node */
    int64_t *room;   /* [n] */
    pair_t *sorted;  /* [n] */
    int64_t *count;  /* [2 classes] on both sides of a split */
    growing_t *node; /* [capacity] */
    size_t capacity;
    int32_t nodes;
} tree_t;

/* The best split of one input. */
typedef struct split {
    double gain;  /* bits a sample, corrected */
    double ratio; /* 0: there is none */
    double threshold;
} split_t;

static double x_of(const tree_t *t, int64_t row, int32_t input)
{
    return t->s->x[row * t->s->inputs + input];
}

/* n log2 n summed up: entropies in bits of all samples. */
static double times_log(double n)
{
    return n > 0 ? n * log2(n) : 0;
}

static void count_labels(const tree_t *t, int64_t first, int64_t end, int64_t *count)
{
    memset(count, 0, (size_t)t->s->classes * sizeof *count);
    for (int64_t i = first; i < end; i++)
        count[t->s->label[t->list[i]]]++;
}

static double entropy(const tree_t *t, const int64_t *count)
{
    double sum = 0;
    int64_t all = 0;
    for (int32_t c = 0; c < t->s->classes; c++) {
        sum += times_log((double)count[c]);
        all += count[c];
    }
    return times_log((double)all) - sum;
}

static void set_label(tree_t *t, growing_t *node)
{
    int64_t *count = t->count;
    int32_t best = 0;
    count_labels(t, node->first, node->end, count);
    for (int32_t c = 1; c < t->s->classes; c++)
        if (count[c] > count[best])
            best = c;
    node->label = best;
    node->wrong = (double)(node->end - node->first - count[best]);
}

/* ------------------------------------------------------------------ splits */

static int by_value(const void *a, const void *b)
{
    const pair_t *x = a;
    const pair_t *y = b;
    int c = (x->x > y->x) - (x->x < y->x);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

/* Samples that each side needs at least. */
static int64_t least_of(const tree_t *t, int64_t n)
{
    enum { most = 25 };
    double least = 0.1 * (double)n / t->s->classes;
    if (least <= (double)t->o->least)
        return t->o->least;
    return least > most ? most : (int64_t)ceil(least);
}

/* The place before which the samples of a node, sorted, are cut with the most gain.
 * \param[out] tried  places that were looked at  \return 0: none */
static int64_t best_cut(tree_t *t, int64_t n, double before, double *gain, int64_t *tried)
{
    int64_t *left = t->count;
    int64_t *right = t->count + t->s->classes;
    int64_t least = least_of(t, n);
    int64_t best = 0;
    *gain = 0;
    *tried = 0;
    memset(left, 0, (size_t)t->s->classes * sizeof *left);
    for (int64_t i = 1; i < n; i++) {
        int32_t label = t->s->label[t->sorted[i - 1].row];
        left[label]++;
        right[label]--;
        if (!(t->sorted[i - 1].x + NEAR < t->sorted[i].x) || i < least || n - i < least)
            continue;
        double here = (before - entropy(t, left) - entropy(t, right)) / (double)n;
        (*tried)++;
        if (here > *gain) {
            *gain = here;
            best = i;
        }
    }
    return best;
}

static split_t split_by(tree_t *t, const growing_t *node, int32_t input)
{
    split_t s = {0, 0, 0};
    int64_t n = node->end - node->first;
    int64_t tried;
    if (n < 2 * least_of(t, n))
        return s;
    for (int64_t i = 0; i < n; i++)
        t->sorted[i] = (pair_t){x_of(t, t->list[node->first + i], input), t->list[node->first + i]};
    qsort(t->sorted, (size_t)n, sizeof *t->sorted, by_value);
    count_labels(t, node->first, node->end, t->count + t->s->classes);
    double before = entropy(t, t->count + t->s->classes);
    int64_t at = best_cut(t, n, before, &s.gain, &tried);
    if (at == 0)
        return s;
    s.gain -= log2((double)tried) / (double)n; /* what it costs to say which place */
    double info =
        (times_log((double)n) - times_log((double)at) - times_log((double)(n - at))) / (double)n;
    s.ratio = s.gain > 0 ? s.gain / info : 0;
    s.threshold = t->sorted[at - 1].x + (t->sorted[at].x - t->sorted[at - 1].x) / 2;
    return s;
}

/* The largest value that a sample of all has, up to a threshold. */
static double value_below(const tree_t *t, int32_t input, double threshold)
{
    double best = -INFINITY;
    for (int64_t i = 0; i < t->s->n; i++) {
        double x = x_of(t, i, input);
        if (x > best && x <= threshold)
            best = x;
    }
    return best;
}

/* Of the inputs of at least average gain that of the largest ratio.  \return -1: none */
static int32_t choose_input(tree_t *t, const growing_t *node, split_t *all, double *threshold)
{
    double sum = 0;
    int valid = 0;
    int32_t best = -1;
    for (int32_t i = 0; i < t->s->inputs; i++) {
        all[i] = split_by(t, node, i);
        if (all[i].ratio > 0) {
            sum += all[i].gain;
            valid++;
        }
    }
    for (int32_t i = 0; i < t->s->inputs; i++)
        if (all[i].ratio > 0 && all[i].gain >= sum / valid - SLACK &&
            (best < 0 || all[i].ratio > all[best].ratio))
            best = i;
    if (best >= 0)
        *threshold = value_below(t, best, all[best].threshold);
    return best;
}

/* ------------------------------------------------------------------ growing */

/* Samples at most the threshold first, both sides in their order.  \return where the others
 * begin */
static int64_t part(tree_t *t, int64_t first, int64_t end, int32_t input, double threshold)
{
    int64_t low = first;
    int64_t high = 0;
    for (int64_t i = first; i < end; i++) {
        int64_t row = t->list[i];
        if (x_of(t, row, input) <= threshold)
            t->list[low++] = row;
        else
            t->room[high++] = row;
    }
    memcpy(t->list + low, t->room, (size_t)high * sizeof *t->list);
    return low;
}

static rc_status_t add_node(tree_t *t, int64_t first, int64_t end, int32_t *out, rc_err_t *err)
{
    RC_PASS(rc_grow((void **)&t->node, &t->capacity, (size_t)t->nodes + 1, sizeof *t->node,
        "nodes of a tree", err));
    t->node[t->nodes] = (growing_t){.first = first, .end = end, .input = -1};
    set_label(t, &t->node[t->nodes]);
    *out = t->nodes++;
    return RC_OK;
}

/* Breadth first: nodes that were added come later. */
static rc_status_t grow(tree_t *t, split_t *room, rc_err_t *err)
{
    for (int32_t i = 0; i < t->nodes; i++) {
        growing_t node = t->node[i];
        if (node.wrong == 0 || node.end - node.first < 2 * t->o->least)
            continue;
        node.input = choose_input(t, &node, room, &node.threshold);
        if (node.input < 0)
            continue;
        int64_t cut = part(t, node.first, node.end, node.input, node.threshold);
        RC_PASS(add_node(t, node.first, cut, &node.left, err));
        RC_PASS(add_node(t, cut, node.end, &node.right, err));
        t->node[i] = node;
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ pruning */

/* The place below which a share p of a normal distribution lies, p from 0.5: by bisection of
 * erfc. */
static double normal_place(double p)
{
    double low = 0;
    double high = NORMAL_MOST;
    for (int i = 0; i < 200; i++) {
        double mid = low + (high - low) / 2;
        if (1 - 0.5 * erfc(mid / sqrt(2)) < p)
            low = mid;
        else
            high = mid;
    }
    return low;
}

double rc_c45_extra_errors(double all, double wrong, double confidence)
{
    if (confidence > 0.5)
        return 0;
    if (wrong < 1) {
        double none = all * (1 - pow(confidence, 1 / all));
        return wrong == 0 ? none : none + wrong * (rc_c45_extra_errors(all, 1, confidence) - none);
    }
    if (wrong + 0.5 >= all)
        return all - wrong > 0 ? all - wrong : 0;
    double z = normal_place(1 - confidence);
    double f = (wrong + 0.5) / all;
    double r = (f + z * z / (2 * all) + z * sqrt(f / all - f * f / all + z * z / (4 * all * all))) /
               (1 + z * z / all);
    return r * all - wrong;
}

static double errors_of_leaf(const tree_t *t, double all, double wrong)
{
    return all > 0 ? wrong + rc_c45_extra_errors(all, wrong, t->o->confidence) : 0;
}

/* Samples of a subtree that it labels wrongly. */
static double wrong_of(const tree_t *t, int32_t i)
{
    const growing_t *node = &t->node[i];
    return node->input < 0 ? node->wrong : wrong_of(t, node->left) + wrong_of(t, node->right);
}

/* A subtree that is as wrong as a leaf is one. */
static void collapse(tree_t *t, int32_t i)
{
    growing_t *node = &t->node[i];
    if (node->input < 0)
        return;
    if (wrong_of(t, i) >= node->wrong - SLACK) {
        node->input = -1;
        return;
    }
    collapse(t, node->left);
    collapse(t, node->right);
}

static double errors_of(const tree_t *t, int32_t i)
{
    const growing_t *node = &t->node[i];
    return node->input < 0 ? errors_of_leaf(t, (double)(node->end - node->first), node->wrong)
                           : errors_of(t, node->left) + errors_of(t, node->right);
}

/* Give a subtree the rows at [first, end): their order changes, and what its nodes count. */
static void give_rows(tree_t *t, int32_t i, int64_t first, int64_t end)
{
    growing_t *node = &t->node[i];
    int32_t label = node->label;
    node->first = first;
    node->end = end;
    set_label(t, node);
    if (first == end)
        node->label = label;
    if (node->input < 0)
        return;
    int64_t cut = part(t, first, end, node->input, node->threshold);
    give_rows(t, node->left, first, cut);
    give_rows(t, node->right, cut, end);
}

static void prune(tree_t *t, int32_t i)
{
    growing_t *node = &t->node[i];
    if (node->input < 0)
        return;
    prune(t, node->left);
    prune(t, node->right);
    int64_t first = node->first;
    int64_t end = node->end;
    int64_t cut = t->node[node->left].end;
    /* of equal ones the last, as maxBag */
    int32_t large = end - cut >= cut - first ? node->right : node->left;
    double of_tree = errors_of(t, i);
    double of_leaf = errors_of_leaf(t, (double)(end - first), node->wrong);
    give_rows(t, large, first, end); /* as if it stood here */
    double of_branch = errors_of(t, large);
    if (of_leaf <= of_tree + TOLERANCE && of_leaf <= of_branch + TOLERANCE) {
        node->input = -1;
    } else if (of_branch <= of_tree + TOLERANCE) {
        *node = t->node[large];
        prune(t, i);
    } else
        give_rows(t, i, first, end);
}

/* -------------------------------------------------------------------- fits */

static rc_status_t check(const rc_c45_samples_t *s, const rc_c45_options_t *o, rc_err_t *err)
{
    if (s->n < 1 || s->inputs < 1 || s->classes < 1)
        return rc_fail(err, RC_EINVAL, "a tree needs samples, inputs and classes");
    if (o->least < 1 || !(o->confidence >= 0 && o->confidence <= 0.5))
        return rc_fail(err, RC_EINVAL,
            "a tree: expected at least 1 sample a side and a confidence from 0 to 0.5, found "
            "%" PRId64 " and %g",
            o->least, o->confidence);
    for (int64_t i = 0; i < s->n; i++)
        if (s->label[i] < 0 || s->label[i] >= s->classes)
            return rc_fail(err, RC_EINVAL,
                "sample %" PRId64 ": expected a label below %d, found %d", i, (int)s->classes,
                (int)s->label[i]);
    for (int64_t i = 0; i < s->n * s->inputs; i++)
        if (!isfinite(s->x[i]))
            return rc_fail(err, RC_EINVAL, "sample %" PRId64 ": input %d is not finite",
                i / s->inputs, (int)(i % s->inputs));
    return RC_OK;
}

/* The nodes that are left, the root first.  \return its number */
static int32_t copy_node(const tree_t *t, int32_t i, rc_c45_t *out)
{
    const growing_t *node = &t->node[i];
    int32_t at = out->nodes++;
    rc_question_t n = {.input = node->input, .left = -1, .right = -1, .label = node->label};
    if (node->input >= 0) {
        n.threshold = node->threshold;
        n.left = copy_node(t, node->left, out);
        n.right = copy_node(t, node->right, out);
    }
    out->node[at] = n;
    return at;
}

static rc_status_t tree_new(tree_t *t, split_t **room, rc_err_t *err)
{
    size_t n = (size_t)t->s->n;
    RC_PASS(RC_NEW(t->list, n, "rows of a tree", err));
    RC_PASS(RC_NEW(t->room, n, "rows of a tree", err));
    RC_PASS(RC_NEW(t->sorted, n, "rows of a tree", err));
    RC_PASS(RC_NEW(t->count, 2 * (size_t)t->s->classes, "classes of a tree", err));
    RC_PASS(RC_NEW(*room, t->s->inputs, "splits of a tree", err));
    for (size_t i = 0; i < n; i++)
        t->list[i] = (int64_t)i;
    return RC_OK;
}

rc_status_t rc_c45_fit(
    const rc_c45_samples_t *s, const rc_c45_options_t *options, rc_c45_t *out, rc_err_t *err)
{
    tree_t t = {.s = s, .o = options};
    split_t *room = NULL;
    int32_t root;
    rc_status_t st;
    RC_TRY(check(s, options, err));
    RC_TRY(tree_new(&t, &room, err));
    RC_TRY(add_node(&t, 0, s->n, &root, err));
    RC_TRY(grow(&t, room, err));
    collapse(&t, root);
    if (options->confidence > 0)
        prune(&t, root);
    rc_c45_t tree = {.inputs = s->inputs};
    RC_TRY(RC_NEW(tree.node, t.nodes, "nodes of a tree", err));
    (void)copy_node(&t, root, &tree);
    *out = tree;
done:
    free(t.list);
    free(t.room);
    free(t.sorted);
    free(t.count);
    free(t.node);
    free(room);
    return st;
}

void rc_c45_free(rc_c45_t *t)
{
    free(t->node);
    *t = (rc_c45_t){.nodes = 0};
}
