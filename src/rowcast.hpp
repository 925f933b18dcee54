/** \file rowcast.hpp Plans and systems for C++: owned, moved, errors thrown. Over rowcast_plan.h
 *  and, where rowcast was built with CUDA, rowcast_cuda.h; nothing to link besides.
 *
 *  C++11. What a function does, takes and costs is said there; its rc_status_t becomes a
 *  rowcast::error. A plan is used by one thread at a time; a clone serves another one. Plans on the
 *  host are those of host, spmm_host and load_host; they take host memory and no stream. */
#ifndef ROWCAST_HPP
#define ROWCAST_HPP

#include <rowcast_plan.h>
#ifdef __has_include
#if __has_include(<rowcast_cuda.h>)
#include <rowcast_cuda.h> /* else before this header, by a compiler without that question */
#endif
#endif

#include <complex>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rowcast {

/** A call that failed; what() is the line of rc_err_t. */
class error : public std::runtime_error {
public:
    /** What failed, and its line. */
    error(rc_status_t status, const char *text) : std::runtime_error(text), status_(status) {}
    /** RC_EINVAL, RC_EDEVICE, ... */
    rc_status_t status() const noexcept { return status_; }

private:
    rc_status_t status_;
};

namespace detail {
/** Throws what failed. */
inline void check(rc_status_t status, const rc_err_t &err)
{
    if (status < 0)
        throw error(status, err.text);
}
} // namespace detail

/** The value type of a C++ type.  A program that has types of 16 bits says so once:
 *  `template <> struct rowcast::value_type<__half> : rowcast::is_value_type<RC_FP16> {};`
 *  and likewise RC_BF16 for `__nv_bfloat16`. */
template <typename T> struct value_type {
    /** False: T is no value. */
    static constexpr bool is_one = false;
};

/** What a value_type is. */
template <rc_precision_t Precision> struct is_value_type {
    /** True. */
    static constexpr bool is_one = true;
    /** In C. */
    static constexpr rc_precision_t precision = Precision;
};

/** fp32. */
template <> struct value_type<float> : is_value_type<RC_FP32> {};
/** fp64. */
template <> struct value_type<double> : is_value_type<RC_FP64> {};
/** c64, of plans on the host. */
template <> struct value_type<std::complex<float>> : is_value_type<RC_C64> {};
/** c128, likewise. */
template <> struct value_type<std::complex<double>> : is_value_type<RC_C128> {};

/** A sparse matrix; borrows the arrays, which a plan reads while it is made alone.
 *  \param[in] row_ptr    [rows + 1], int32_t or int64_t; of other forms as in rc_plan_matrix_t
 *  \param[in] col_idx    [nnz], int32_t or int64_t
 *  \param[in] val        [nnz], of a value_type
 *  \param[in] on_device  whether all three are memory of the GPU; of the host: false */
template <typename Offset, typename Column, typename Value>
rc_plan_matrix_t matrix(int64_t rows, int64_t cols, int64_t nnz, const Offset *row_ptr,
    const Column *col_idx, const Value *val, bool on_device = false,
    rc_plan_form_t form = RC_PLAN_CSR)
{
    static_assert(sizeof(Offset) == 4 || sizeof(Offset) == 8, "row pointers of 32 or 64 bits");
    static_assert(sizeof(Column) == 4 || sizeof(Column) == 8, "columns of 32 or 64 bits");
    static_assert(std::is_integral<Column>::value, "columns are integers");
    static_assert(value_type<Value>::is_one, "values are of a rowcast::value_type");
    rc_plan_matrix_t m = {rows, cols, nnz, row_ptr, static_cast<int>(sizeof(Offset)), col_idx, val,
        value_type<Value>::precision, on_device ? 1 : 0, static_cast<int>(sizeof(Column)), form};
    return m;
}

/** Owns a plan of librowcast_plan or librowcast_cuda. */
class plan {
public:
    /** Nothing; execute throws. */
    plan() noexcept = default;

    /** rc_plan_create_host. */
    static plan host(const rc_plan_problem_t &problem, const rc_plan_matrix_t &a,
        const rc_plan_options_t &options = rc_plan_options_t())
    {
        rc_plan_t *p = nullptr;
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_create_host(&problem, &a, &options, &p, &err), err);
        return plan(p);
    }

    /** C = A B on the host in the precision of T for one K, the choice timed on the matrix.
     *  \param[in] tune     candidates to time at most; 0: none
     *  \param[in] threads  of the products; 0: all
     *  \param[in] transposed  whether for execute_transposed too */
    template <typename T>
    static plan spmm_host(const rc_plan_matrix_t &a, int64_t k, rc_layout_t layout = RC_ROW_MAJOR,
        int tune = 6, int threads = 0, bool transposed = false)
    {
        rc_plan_options_t options = rc_plan_options_t();
        options.tune = tune;
        options.threads = threads;
        options.transposed = transposed ? 1 : 0;
        return host(product<T>(k, layout), a, options);
    }

    /** rc_plan_load_host. */
    static plan load_host(const std::string &path, const rc_plan_problem_t &problem,
        const rc_plan_matrix_t &a, const rc_plan_options_t &options = rc_plan_options_t())
    {
        rc_plan_t *p = nullptr;
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_load_host(file_name(path), &problem, &a, &options, &p, &err), err);
        return plan(p);
    }

#ifdef ROWCAST_CUDA_H
    /** rc_plan_create. */
    plan(const rc_plan_problem_t &problem, const rc_plan_matrix_t &a,
        const rc_plan_options_t &options = rc_plan_options_t(), CUstream_st *stream = nullptr)
    {
        rc_plan_t *p = nullptr;
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_create(&problem, &a, &options, stream, &p, &err), err);
        own_.reset(p);
    }

    /** C = A B in the precision of T for one K, the choice timed on the matrix.
     *  \param[in] tune  candidates to time at most; 0: none
     *  \param[in] tune_in_use  with `tune` 0: to measure at most in the program's own products
     *  \param[in] transposed  whether for execute_transposed too */
    template <typename T>
    static plan spmm(const rc_plan_matrix_t &a, int64_t k, rc_layout_t layout = RC_ROW_MAJOR,
        int tune = 6, CUstream_st *stream = nullptr, int tune_in_use = 0, bool transposed = false)
    {
        rc_plan_options_t options = rc_plan_options_t();
        options.tune = tune;
        options.tune_in_use = tune_in_use;
        options.transposed = transposed ? 1 : 0;
        return plan(product<T>(k, layout), a, options, stream);
    }

    /** rc_plan_load. */
    static plan load(const std::string &path, const rc_plan_problem_t &problem,
        const rc_plan_matrix_t &a, const rc_plan_options_t &options = rc_plan_options_t(),
        CUstream_st *stream = nullptr)
    {
        rc_plan_t *p = nullptr;
        rc_err_t err = {RC_OK, ""};
        detail::check(
            rc_plan_load(file_name(path), &problem, &a, &options, stream, &p, &err), err);
        return plan(p);
    }
#endif

    /** rc_plan_clone: for another thread or stream. */
    plan clone(CUstream_st *stream = nullptr) const
    {
        rc_plan_t *p = nullptr;
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_clone(own_.get(), stream, &p, &err), err);
        return plan(p);
    }

    /** rc_plan_execute. */
    void execute(int64_t k, double alpha, const void *b, int64_t ldb, double beta, void *c,
        int64_t ldc, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(
            rc_plan_execute(own_.get(), k, alpha, b, ldb, beta, c, ldc, stream, &err), err);
    }

    /** rc_plan_execute_transposed. */
    void execute_transposed(int64_t k, double alpha, const void *b, int64_t ldb, double beta,
        void *c, int64_t ldc, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(
            rc_plan_execute_transposed(own_.get(), k, alpha, b, ldb, beta, c, ldc, stream, &err),
            err);
    }

    /** rc_plan_execute_sddmm. */
    void execute_sddmm(int64_t k, double alpha, const void *y, int64_t ldy, const void *x,
        int64_t ldx, double beta, void *out, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(
            rc_plan_execute_sddmm(own_.get(), k, alpha, y, ldy, x, ldx, beta, out, stream, &err),
            err);
    }

    /** rc_plan_execute_complex. */
    void execute(const rc_plan_product_t &product, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_execute_complex(own_.get(), &product, stream, &err), err);
    }

    /** A product for execute_many, of this plan, which must outlive it. */
    rc_plan_call_t call(int64_t k, double alpha, const void *b, int64_t ldb, double beta, void *c,
        int64_t ldc, bool transposed = false) const noexcept
    {
        rc_plan_call_t q = {own_.get(), k, alpha, b, ldb, beta, c, ldc, transposed ? 1 : 0};
        return q;
    }

    /** rc_plan_execute_many. */
    static void execute_many(const rc_plan_call_t *call, int calls, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_execute_many(call, calls, stream, &err), err);
    }

    /** rc_plan_update_values. */
    template <typename Value>
    void update_values(int64_t nnz, const Value *val, bool on_device, CUstream_st *stream = nullptr)
    {
        static_assert(value_type<Value>::is_one, "values are of a rowcast::value_type");
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_update_values(own_.get(), nnz, val, value_type<Value>::precision,
                  on_device ? 1 : 0, stream, &err),
            err);
    }

    /** rc_plan_save. */
    void save(const std::string &path) const
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_plan_save(own_.get(), file_name(path), &err), err);
    }

    /** rc_plan_describe, whole. */
    std::string describe() const
    {
        std::vector<char> text(1);
        if (!own_)
            return std::string();
        text.resize(rc_plan_describe(own_.get(), text.data(), text.size()) + 1);
        rc_plan_describe(own_.get(), text.data(), text.size());
        return std::string(text.data());
    }

    /** The sentence of rc_plan_answer. */
    std::string sentence(int part = 0) const
    {
        rc_err_t err = {RC_OK, ""};
        rc_plan_answer_t answer;
        detail::check(rc_plan_answer(own_.get(), part, &answer, &err), err);
        std::string text(answer.sentence);
        rc_plan_answer_free(&answer);
        return text;
    }

    /** The line of rc_plan_company. */
    std::string company() const { return rc_plan_company(own_.get()); }

    /** For the functions of rowcast_plan.h that this header does not have; the object keeps the
     *  plan. */
    rc_plan_t *get() const noexcept { return own_.get(); }
    /** Whether there is a plan. */
    explicit operator bool() const noexcept { return own_ != nullptr; }

private:
    struct release {
        void operator()(rc_plan_t *p) const { rc_plan_free(p); }
    };

    explicit plan(rc_plan_t *p) noexcept : own_(p) {}

    /** \param[in] k  borrowed by what is returned */
    template <typename T> static rc_plan_problem_t product(const int64_t &k, rc_layout_t layout)
    {
        static_assert(value_type<T>::is_one, "plans are of a rowcast::value_type");
        rc_plan_problem_t problem = rc_plan_problem_t();
        problem.op = RC_OP_SPMM;
        problem.precision = value_type<T>::precision;
        problem.layout = layout;
        problem.k = &k;
        problem.ks = 1;
        return problem;
    }

    static const char *file_name(const std::string &path)
    {
        if (path.find('\0') != std::string::npos)
            throw error(RC_EINVAL, "path: expected no NUL in it");
        return path.c_str();
    }

    std::unique_ptr<rc_plan_t, release> own_;
};

/** Arrays for a permuted matrix, of the caller: rc_system_permute fills them.
 *  \param[in] row_ptr  [rows + 1]  \param[in] col_idx  [nnz]
 *  \param[in] val      [nnz]       \param[in] place    [nnz] for new values; nullptr: not wanted */
template <typename Offset, typename Column, typename Value, typename Place = int64_t>
rc_system_matrix_t permuted(
    int64_t nnz, Offset *row_ptr, Column *col_idx, Value *val, Place *place = nullptr)
{
    static_assert(value_type<Value>::is_one, "values are of a rowcast::value_type");
    rc_system_matrix_t m = {nnz, row_ptr, static_cast<int>(sizeof(Offset)), col_idx,
        static_cast<int>(sizeof(Column)), val, value_type<Value>::precision, place,
        static_cast<int>(sizeof(Place))};
    return m;
}

/** Owns a square system that a solver renumbers once. */
class square_system {
public:
    /** Nothing; every call throws. */
    square_system() noexcept = default;

    /** rc_order_system.  \param[in] order  "" : "auto" */
    static square_system host(const rc_plan_matrix_t &a, const std::string &order = std::string(),
        rc_system_options_t options = rc_system_options_t())
    {
        rc_system_t *s = nullptr;
        rc_err_t err = {RC_OK, ""};
        if (!order.empty())
            options.order = order.c_str();
        detail::check(rc_order_system(&a, &options, &s, &err), err);
        return square_system(s);
    }

#ifdef ROWCAST_CUDA_H
    /** rc_order_system_cuda. */
    static square_system device(const rc_plan_matrix_t &a, const std::string &order = std::string(),
        rc_system_options_t options = rc_system_options_t(), CUstream_st *stream = nullptr)
    {
        rc_system_t *s = nullptr;
        rc_err_t err = {RC_OK, ""};
        if (!order.empty())
            options.order = order.c_str();
        detail::check(rc_order_system_cuda(&a, &options, stream, &s, &err), err);
        return square_system(s);
    }
#endif

    /** rc_system_info. */
    rc_system_info_t info() const
    {
        rc_system_info_t found = rc_system_info_t();
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_system_info(own_.get(), &found, &err), err);
        return found;
    }

    /** rc_system_permute. */
    void permute(
        const rc_plan_matrix_t &a, const rc_system_matrix_t &to, CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        detail::check(rc_system_permute(own_.get(), &a, &to, stream, &err), err);
    }

    /** rc_system_values.  \param[in] to  as it was permuted */
    template <typename Value>
    void values(const Value *val, const rc_system_matrix_t &to, CUstream_st *stream = nullptr)
    {
        static_assert(value_type<Value>::is_one, "values are of a rowcast::value_type");
        rc_err_t err = {RC_OK, ""};
        const rc_precision_t of = value_type<Value>::precision;
        detail::check(rc_system_values(own_.get(), val, of, &to, stream, &err), err);
    }

    /** rc_system_to, of a vector, or of k columns without room between the lines. */
    template <typename Value>
    void to(const Value *from, Value *x, int64_t k = 1, rc_layout_t layout = RC_ROW_MAJOR,
        CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        const rc_system_block_t b = block(from, x, k, layout);
        detail::check(rc_system_to(own_.get(), &b, stream, &err), err);
    }

    /** rc_system_back, likewise. */
    template <typename Value>
    void back(const Value *from, Value *x, int64_t k = 1, rc_layout_t layout = RC_ROW_MAJOR,
        CUstream_st *stream = nullptr)
    {
        rc_err_t err = {RC_OK, ""};
        const rc_system_block_t b = block(from, x, k, layout);
        detail::check(rc_system_back(own_.get(), &b, stream, &err), err);
    }

    /** For the functions of rowcast_plan.h; the object keeps the system. */
    rc_system_t *get() const noexcept { return own_.get(); }
    /** Whether there is a system. */
    explicit operator bool() const noexcept { return own_ != nullptr; }

private:
    struct release {
        void operator()(rc_system_t *s) const { rc_system_free(s); }
    };

    explicit square_system(rc_system_t *s) noexcept : own_(s) {}

    template <typename Value>
    static rc_system_block_t block(const Value *from, Value *to, int64_t k, rc_layout_t layout)
    {
        static_assert(value_type<Value>::is_one, "values are of a rowcast::value_type");
        rc_system_block_t b = {from, 0, to, 0, k, layout, value_type<Value>::precision};
        return b;
    }

    std::unique_ptr<rc_system_t, release> own_;
};

} // namespace rowcast
#endif
