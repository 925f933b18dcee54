/* The walk with AVX-512.  Rows go in groups of 63.  Each line has a mask: bit i + 1 says that row i
 * of the group touches it, bit 0 that the row before the group does.  The entries of a group become
 * runs of equal (line, row), 16 entries at a time whatever the lengths of the rows; each run sets
 * one bit; at the end of the group the masks are counted: along a line for its transactions and its
 * warps, and bit by bit over the lines for the lines of each row and for those that it shares with
 * the row before.  The values are those of the walk in walk.c. */
#include "config.h"
#include "feature/walk_parts.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include "feature/walk_counters.h"

enum {
    GROUP = 63,
    /* sets of masks: setting a bit waits for the one before it in its line, so several parts of a
       chunk go at once, each with masks of its own, where there are few lines */
    MOST_STREAMS = 4,
    FEW_LINES = 128,
    SOME_LINES = 512,
    CHUNK = 4096, /* entries at a time */
    SLACK = 64,   /* elements that a store of a whole vector may reach beyond */
    LANE_BITS = 6,
    MOST_LINES = 1 << 24, /* a key, line << LANE_BITS | lane, fits 32 bits, and so do sums */
    MOST_WARPS = 32,
    SPREAD = MOST_WARPS + GROUP + 1 /* (first warp + row of the group) before they wrap */
};

/* Smallest, largest and sum of counts. */
typedef struct running {
    __m512i min; /* 16 x int32 */
    __m512i max;
    __m512i sum; /* 8 x int64 */
    int64_t count;
} running_t;

/* One mask per line, or per block of columns. */
typedef struct masks {
    uint64_t *word; /* [streams][stride] */
    int64_t stride;
    int streams;
    int shift; /* column to line */
} masks_t;

typedef struct groups {
    const rc_csr_t *a;
    rc_walk_part_t *p;
    int nw;
    int nt_shift;
    int64_t lines;
    masks_t line;
    masks_t block; /* stride 0: blocks of N_w columns are lines */
    int all; /* 1: every vector of masks is counted at the end of a group, 0: `touched` ones */
    int32_t *touched;
    int64_t count;  /* of touched */
    int32_t *stamp; /* group for which a vector is in `touched` */
    int32_t group;
    running_t entries;
    running_t blocks;
    running_t distance;
    int64_t load[SPREAD];
    int64_t total[SPREAD];
    int64_t chunk; /* at most CHUNK entries at a time */
    uint32_t *key; /* [chunk + SLACK] */
    uint8_t *lane; /* [chunk + SLACK] */
} groups_t;

static int log2_of(int32_t n)
{
    return __builtin_ctz((unsigned)n);
}

static int is_power_of_2(int32_t n)
{
    return (n & (n - 1)) == 0;
}

AVX512 void rc_count_bits_avx512(const uint64_t *word, int64_t n, int64_t count[64])
{
    counters_t c;
    int32_t found[64];
    counters_clear(&c);
    for (int64_t i = 0; i < n; i += BLOCK) {
        __mmask8 there = (__mmask8)_bzhi_u32(0xff, n - i < BLOCK ? (unsigned)(n - i) : BLOCK);
        count_words(&c, _mm512_maskz_loadu_epi64(there, word + i));
    }
    counters_read(&c, found);
    for (int i = 0; i < 64; i++)
        count[i] = found[i];
}

/* --------------------------------------------------------------------- runs */

INLINE __m512i keys_of(__m512i col, const uint8_t *lane, __m128i shift)
{
    return _mm512_or_si512(_mm512_slli_epi32(_mm512_srl_epi32(col, shift), LANE_BITS),
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)lane)));
}

/* The keys of the runs among n >= 1 entries.  \return their number */
AVX512 static int64_t compact(
    const int32_t *col, const uint8_t *lane, int64_t n, int line_shift, uint32_t *key)
{
    enum { WIDE = 16 };
    const __m128i shift = _mm_cvtsi32_si128(line_shift);
    int64_t runs = 0;
    int64_t e = 0;
    for (; e + WIDE < n; e += WIDE) {
        __m512i x = keys_of(_mm512_loadu_si512(col + e), lane + e, shift);
        __m512i next = keys_of(_mm512_loadu_si512(col + e + 1), lane + e + 1, shift);
        __mmask16 last = _mm512_cmpneq_epi32_mask(x, next);
        _mm512_storeu_si512(key + runs, _mm512_maskz_compress_epi32(last, x));
        runs += __builtin_popcount(last);
    }
    unsigned left = (unsigned)(n - e);
    __mmask16 there = (__mmask16)_bzhi_u32(0xffff, left);
    __mmask16 followed = (__mmask16)_bzhi_u32(0xffff, left - 1);
    __m512i x = keys_of(_mm512_maskz_loadu_epi32(there, col + e), lane + e, shift);
    __m512i next = keys_of(_mm512_maskz_loadu_epi32(followed, col + e + 1), lane + e + 1, shift);
    __mmask16 last =
        (__mmask16)(_mm512_mask_cmpneq_epi32_mask(followed, x, next) | (there & ~followed));
    _mm512_storeu_si512(key + runs, _mm512_maskz_compress_epi32(last, x));
    return runs + __builtin_popcount(last);
}

INLINE void set_bits(const masks_t *m, const uint32_t *key, int64_t n, int streams)
{
    const uint32_t lane = (1u << LANE_BITS) - 1;
    int64_t each = n / streams;
    for (int64_t i = 0; i < each; i++)
#pragma GCC unroll 4
        for (int s = 0; s < streams; s++) {
            uint32_t k = key[i + s * each];
            m->word[(k >> LANE_BITS) + s * m->stride] |= UINT64_C(1) << (k & lane);
        }
    for (int64_t i = streams * each; i < n; i++)
        m->word[key[i] >> LANE_BITS] |= UINT64_C(1) << (key[i] & lane);
}

/* Note the vectors of masks that keys go to, each once a group. */
static void note_touched(groups_t *g, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t v = (int32_t)(g->key[i] >> LANE_BITS) / BLOCK;
        g->touched[g->count] = v;
        g->count += g->stamp[v] != g->group;
        g->stamp[v] = g->group;
    }
}

/* n entries, whose lanes are set. */
AVX512 static void take(groups_t *g, const int32_t *col, int64_t n)
{
    if (n == 0)
        return;
    int64_t runs = compact(col, g->lane, n, g->line.shift, g->key);
    if (!g->all)
        note_touched(g, runs);
    if (g->line.streams == MOST_STREAMS)
        set_bits(&g->line, g->key, runs, MOST_STREAMS);
    else if (g->line.streams == 2)
        set_bits(&g->line, g->key, runs, 2);
    else
        set_bits(&g->line, g->key, runs, 1);
    if (g->block.stride) {
        runs = compact(col, g->lane, n, g->block.shift, g->key);
        set_bits(&g->block, g->key, runs, 1);
    }
}

INLINE void fill_lane(uint8_t *to, int value, int64_t n)
{
    const __m128i v = _mm_set1_epi8((char)value);
    _mm_storeu_si128((__m128i *)to, v); /* what it reaches beyond is filled next */
    for (int64_t i = 16; i < n; i += 16)
        _mm_storeu_si128((__m128i *)(to + i), v);
}

/* Rows `from` to `rows` of the group that begins with row r0; row -1 is the one before it. */
AVX512 static void take_rows(groups_t *g, int64_t r0, int from, int rows)
{
    const int64_t *first = g->a->row_ptr + r0;
    for (int i = from; i < rows;) {
        int64_t begin = first[i];
        int j = i;
        for (; j < rows && first[j + 1] - begin <= g->chunk; j++)
            fill_lane(g->lane + (first[j] - begin), j + 1, first[j + 1] - first[j]);
        if (j > i) {
            take(g, g->a->col_idx + begin, first[j] - begin);
            i = j;
            continue;
        }
        memset(g->lane, i + 1, (size_t)g->chunk + SLACK); /* a row of several chunks */
        for (; begin < first[i + 1]; begin += g->chunk)
            take(g, g->a->col_idx + begin,
                first[i + 1] - begin < g->chunk ? first[i + 1] - begin : g->chunk);
        i++;
    }
}

/* ------------------------------------------------------------ end of a group */

/* Rows of a group: bit i + 1 to warp (first + i) mod N_w. */
INLINE __m512i warps_of(__m512i rows, int nw, int first)
{
    const __m512i within = _mm512_set1_epi64((int64_t)((UINT64_C(1) << nw) - 1));
    __m512i x = _mm512_or_si512(rows, _mm512_srli_epi64(rows, 32));
    for (int s = 16; s >= nw; s >>= 1)
        x = _mm512_or_si512(x, _mm512_srl_epi64(x, _mm_cvtsi32_si128(s)));
    x = _mm512_and_si512(x, within);
    return _mm512_and_si512(within, _mm512_or_si512(_mm512_sll_epi64(x, _mm_cvtsi32_si128(first)),
                                        _mm512_srl_epi64(x, _mm_cvtsi32_si128(nw - first))));
}

/* Count the masks of vector v and leave in them what the next group needs of its row before.
 *  \return 0 when that is nothing */
INLINE int count_lines(
    groups_t *g, int64_t v, int rows, int first, counters_t *touch, counters_t *both)
{
    uint64_t *word = g->line.word + v * BLOCK;
    __m512i m = _mm512_load_si512(word);
    for (int s = 1; s < g->line.streams; s++)
        m = _mm512_or_si512(m, _mm512_load_si512(word + s * g->line.stride));
    if (_mm512_test_epi64_mask(m, m) == 0)
        return 0;
    int64_t at = v * BLOCK;
    int64_t left = g->lines - at;
    __mmask8 there = (__mmask8)_bzhi_u32(0xff, left < BLOCK ? (unsigned)left : BLOCK);
    __m512i of_group = _mm512_srli_epi64(m, 1);
    int64_t *requested = g->p->requested + at;
    uint64_t *warps = g->p->warp_bits + at;
    _mm512_mask_storeu_epi64(requested, there,
        _mm512_add_epi64(_mm512_maskz_loadu_epi64(there, requested), popcount_words(of_group)));
    _mm512_mask_storeu_epi64(warps, there,
        _mm512_or_si512(_mm512_maskz_loadu_epi64(there, warps), warps_of(of_group, g->nw, first)));
    count_words(touch, m);
    count_words(both, _mm512_and_si512(m, of_group));
    __m512i carry =
        _mm512_and_si512(_mm512_srl_epi64(m, _mm_cvtsi32_si128(rows)), _mm512_set1_epi64(1));
    for (int s = 1; s < g->line.streams; s++)
        _mm512_store_si512(word + s * g->line.stride, _mm512_setzero_si512());
    _mm512_store_si512(word, carry);
    return _mm512_test_epi64_mask(carry, carry) != 0;
}

/*  \param[out] touch  lines of row i of the group at i + 1, of the row before it at 0
 *  \param[out] both   lines that row i shares with the row before it, at i */
AVX512 static void harvest(groups_t *g, int rows, int first, int32_t touch[64], int32_t both[64])
{
    counters_t t;
    counters_t b;
    counters_clear(&t);
    counters_clear(&b);
    if (g->all)
        for (int64_t v = 0; v < g->line.stride / BLOCK; v++)
            count_lines(g, v, rows, first, &t, &b);
    else {
        int64_t kept = 0;
        for (int64_t i = 0; i < g->count; i++) {
            int32_t v = g->touched[i];
            if (count_lines(g, v, rows, first, &t, &b)) {
                g->stamp[v] = g->group + 1;
                g->touched[kept++] = v;
            }
        }
        g->count = kept;
    }
    g->group++;
    counters_read(&t, touch);
    counters_read(&b, both);
}

AVX512 static void harvest_blocks(groups_t *g, int32_t touch[64])
{
    counters_t t;
    counters_clear(&t);
    for (int64_t i = 0; i < g->block.stride; i += BLOCK) {
        __m512i m = _mm512_load_si512(g->block.word + i);
        if (_mm512_test_epi64_mask(m, m) == 0)
            continue;
        count_words(&t, m);
        _mm512_store_si512(g->block.word + i, _mm512_setzero_si512());
    }
    counters_read(&t, touch);
}

/* An iteration requests its first line even when the one before ended in it. */
static void count_iterations(groups_t *g, int64_t r0, int rows, int first)
{
    const int32_t *col = g->a->col_idx;
    const int64_t nt = INT64_C(1) << g->nt_shift;
    for (int i = 0; i < rows; i++)
        for (int64_t e = g->a->row_ptr[r0 + i] + nt; e < g->a->row_ptr[r0 + i + 1]; e += nt) {
            int32_t at = col[e] >> g->line.shift;
            if (at == col[e - 1] >> g->line.shift) {
                g->p->requested[at]++;
                g->total[first + i]++;
            }
        }
}

/* Lengths of the rows, 0 beyond them.  \return the largest */
AVX512 static int32_t row_lengths(const int64_t *row_ptr, int rows, int32_t length[64])
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i most = zero;
    uint64_t there = _bzhi_u64(UINT64_MAX, (unsigned)rows);
    for (int i = 0; i < 64; i += 8, there >>= 8) {
        __mmask8 k = (__mmask8)there;
        __m256i n =
            _mm512_cvtepi64_epi32(_mm512_sub_epi64(_mm512_maskz_loadu_epi64(k, row_ptr + i + 1),
                _mm512_maskz_loadu_epi64(k, row_ptr + i)));
        _mm256_storeu_si256((__m256i *)(length + i), n);
        most = _mm256_max_epi32(most, n);
    }
    return _mm512_reduce_max_epi32(_mm512_inserti32x8(_mm512_setzero_si512(), most, 0));
}

/* to[i] += x[i] for the rows of a group; x is 0 beyond them. */
INLINE void add_up(int64_t *to, const int32_t *x, __m128i shift, __m256i round_up)
{
#pragma GCC unroll 8
    for (int i = 0; i < 64; i += 8) {
        __m256i n = _mm256_srl_epi32(
            _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(x + i)), round_up), shift);
        _mm512_storeu_si512(
            to + i, _mm512_add_epi64(_mm512_loadu_si512(to + i), _mm512_cvtepu32_epi64(n)));
    }
}

/* Take x[from] to x[to - 1] in. */
INLINE void run_add(running_t *r, const int32_t x[64], int from, int to)
{
    uint64_t there = _bzhi_u64(UINT64_MAX, (unsigned)to) >> from << from;
    __m512i sum = _mm512_setzero_si512();
    if (from >= to)
        return;
#pragma GCC unroll 4
    for (int i = 0; i < 64; i += 16, there >>= 16) {
        __mmask16 k = (__mmask16)there;
        __m512i v = _mm512_maskz_loadu_epi32(k, x + i);
        r->min = _mm512_mask_min_epi32(r->min, k, r->min, v);
        r->max = _mm512_max_epi32(r->max, v);
        sum = _mm512_add_epi32(sum, v);
    }
    r->sum = _mm512_add_epi64(
        r->sum, _mm512_add_epi64(_mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum)),
                    _mm512_cvtepi32_epi64(_mm512_extracti32x8_epi32(sum, 1))));
    r->count += to - from;
}

AVX512 static void run_clear(running_t *r)
{
    *r = (running_t){
        _mm512_set1_epi32(INT32_MAX), _mm512_setzero_si512(), _mm512_setzero_si512(), 0};
}

AVX512 static void run_read(const running_t *r, rc_extent_t *out)
{
    if (r->count)
        *out = (rc_extent_t){r->count, _mm512_reduce_min_epi32(r->min),
            _mm512_reduce_max_epi32(r->max), _mm512_reduce_add_epi64(r->sum)};
}

AVX512 static void walk_group(groups_t *g, int64_t r0, int rows)
{
    int32_t length[64];
    int32_t touch[64 + 16]; /* read from its second element on */
    int32_t both[64];
    int32_t distance[64];
    int first = (int)(r0 & (g->nw - 1));
    take_rows(g, r0, r0 == g->p->begin && r0 > 0 ? -1 : 0, rows);
    harvest(g, rows, first, touch, both);
    _mm512_storeu_si512(touch + 64, _mm512_setzero_si512());
    int32_t longest = row_lengths(g->a->row_ptr + r0, rows, length);
    for (int i = 0; i < 64; i += 16) {
        __m512i lines =
            _mm512_add_epi32(_mm512_loadu_si512(touch + i), _mm512_loadu_si512(touch + i + 1));
        _mm512_storeu_si512(distance + i,
            _mm512_sub_epi32(lines, _mm512_slli_epi32(_mm512_loadu_si512(both + i), 1)));
    }
    add_up(g->load + first, length, _mm_cvtsi32_si128(g->nt_shift),
        _mm256_set1_epi32((1 << g->nt_shift) - 1));
    add_up(g->total + first, touch + 1, _mm_setzero_si128(), _mm256_setzero_si256());
    if (longest > 1 << g->nt_shift)
        count_iterations(g, r0, rows, first);
    run_add(&g->entries, length, 0, rows);
    run_add(&g->distance, distance, r0 == 0, rows); /* row 0 has no row before it */
    if (g->block.stride)
        harvest_blocks(g, touch);
    run_add(&g->blocks, touch, 1, rows + 1);
}

/* -------------------------------------------------------------------- calls */

/* Masks in whole vectors. */
static int64_t stride_of(int64_t cols, int32_t width)
{
    int64_t n = (cols + width - 1) / width;
    return (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* Bytes of the parts of the scratch, each a multiple of a vector. */
typedef struct sizes {
    size_t state;
    size_t line;
    size_t block;
    size_t vectors; /* of stamp, and of touched */
    size_t key;
    size_t lane;
    int64_t chunk;
    int streams;
    int all;
} sizes_t;

static size_t whole_vectors(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static sizes_t sizes_of(const rc_csr_t *a, const rc_geometry_t *g)
{
    int64_t stride = stride_of(a->cols, g->line);
    int64_t per_group = a->rows ? GROUP * a->nnz / a->rows : 0;
    sizes_t s = {.state = whole_vectors(sizeof(groups_t))};
    /* looking at every mask pays while there are not many more vectors than entries */
    s.all = stride / BLOCK <= per_group;

    s.streams = stride <= FEW_LINES ? MOST_STREAMS : stride <= SOME_LINES ? 2 : 1;
    s.line = (size_t)stride * sizeof(uint64_t) * (size_t)s.streams;
    s.block = g->nw == g->line ? 0 : (size_t)stride_of(a->cols, g->nw) * sizeof(uint64_t);
    s.chunk = a->nnz < CHUNK ? a->nnz : CHUNK; /* no more than a small matrix takes */
    s.key = whole_vectors((size_t)(s.chunk + SLACK) * sizeof(uint32_t));
    s.lane = whole_vectors((size_t)(s.chunk + SLACK));
    s.vectors = s.all ? 0 : whole_vectors((size_t)(stride / BLOCK + 1) * sizeof(int32_t));
    return s;
}

static int machine_fits(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("bmi2");
}

int rc_walk_avx512_fits(const rc_csr_t *a, const rc_geometry_t *g)
{
    if (!machine_fits() || !is_power_of_2(g->nw) || g->nw > MOST_WARPS || !is_power_of_2(g->nt) ||
        !is_power_of_2(g->line) || a->cols / (g->line < g->nw ? g->line : g->nw) >= MOST_LINES)
        return 0;
    sizes_t s = sizes_of(a, g);
    return s.all || s.block == 0; /* blocks are all looked at */
}

size_t rc_walk_avx512_scratch(const rc_csr_t *a, const rc_geometry_t *g)
{
    sizes_t s = sizes_of(a, g);
    return s.state + s.line + s.block + 2 * s.vectors + s.key + s.lane;
}

AVX512 void rc_walk_avx512(const rc_csr_t *a, const rc_geometry_t *geometry, rc_walk_part_t *p)
{
    sizes_t s = sizes_of(a, geometry);
    groups_t *g = p->scratch;
    char *at = (char *)p->scratch + s.state;
    memset(at, 0, s.line + s.block);
    g->a = a;
    g->p = p;
    g->nw = geometry->nw;
    g->nt_shift = log2_of(geometry->nt);
    g->lines = (a->cols + geometry->line - 1) / geometry->line;
    g->line = (masks_t){
        (uint64_t *)at, stride_of(a->cols, geometry->line), s.streams, log2_of(geometry->line)};
    at += s.line;
    g->block = (masks_t){
        (uint64_t *)at, s.block ? stride_of(a->cols, geometry->nw) : 0, 1, log2_of(geometry->nw)};
    at += s.block;
    g->all = s.all;
    g->touched = (int32_t *)at;
    g->stamp = (int32_t *)(at + s.vectors);
    memset(g->stamp, 0, s.vectors);
    g->chunk = s.chunk;
    g->key = (uint32_t *)(at + 2 * s.vectors);
    g->lane = (uint8_t *)(at + 2 * s.vectors + s.key);
    g->count = 0;
    g->group = 1;
    memset(g->load, 0, sizeof g->load);
    memset(g->total, 0, sizeof g->total);
    run_clear(&g->entries);
    run_clear(&g->blocks);
    run_clear(&g->distance);
    for (int64_t r = p->begin; r < p->end; r += GROUP)
        walk_group(g, r, (int)(p->end - r < GROUP ? p->end - r : GROUP));
    for (int i = 0; i < SPREAD; i++) {
        p->load[i & (g->nw - 1)] += g->load[i];
        p->total[i & (g->nw - 1)] += g->total[i];
    }
    run_read(&g->entries, &p->entries);
    run_read(&g->blocks, &p->blocks);
    run_read(&g->distance, &p->distance);
}

#else /* another machine: nothing fits, the rest is not called */

int rc_walk_avx512_fits(const rc_csr_t *a, const rc_geometry_t *g)
{
    (void)a;
    (void)g;
    return 0;
}

size_t rc_walk_avx512_scratch(const rc_csr_t *a, const rc_geometry_t *g)
{
    (void)a;
    (void)g;
    return 0;
}

void rc_walk_avx512(const rc_csr_t *a, const rc_geometry_t *g, rc_walk_part_t *p)
{
    (void)a;
    (void)g;
    (void)p;
}

void rc_count_bits_avx512(const uint64_t *word, int64_t n, int64_t count[64])
{
    (void)word;
    (void)n;
    memset(count, 0, 64 * sizeof *count);
}

#endif
