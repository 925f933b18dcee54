/* The product of Kokkos Kernels with a CSR matrix, behind C: no exception leaves this file. */
#include "kernels/vendor/kokkos_spmv.h"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace
{

using space = Kokkos::DefaultHostExecutionSpace;
using place = Kokkos::Device<space, Kokkos::HostSpace>;
using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
template <typename T> using matrix = KokkosSparse::CrsMatrix<T, int32_t, place, void, int32_t>;
template <typename T> using vector = Kokkos::View<T *, Kokkos::LayoutLeft, place, unmanaged>;

void say(char *why, size_t size, const char *text)
{
    (void)std::snprintf(why, size, "%s", text);
}

void end()
{
    if (Kokkos::is_initialized())
        Kokkos::finalize();
}

template <typename T>
void *make(int32_t rows, int32_t cols, int32_t *ptr, int32_t *col, void *val, char *why, size_t size)
{
    using m = matrix<T>;
    try {
        typename m::values_type::non_const_type v(static_cast<T *>(val), static_cast<size_t>(ptr[rows]));
        typename m::row_map_type::non_const_type p(ptr, static_cast<size_t>(rows) + 1);
        typename m::index_type::non_const_type c(col, static_cast<size_t>(ptr[rows]));
        return new m("rowcast", rows, cols, ptr[rows], v, p, c);
    } catch (const std::exception &e) {
        say(why, size, e.what());
        return nullptr;
    }
}

template <typename T> void drop(void *a)
{
    delete static_cast<matrix<T> *>(a);
}

template <typename T>
int multiply(const void *a, double alpha, const void *x, double beta, void *y, char *why, size_t size)
{
    try {
        const auto *m = static_cast<const matrix<T> *>(a);
        const vector<const T> in(static_cast<const T *>(x), static_cast<size_t>(m->numCols()));
        const vector<T> out(static_cast<T *>(y), static_cast<size_t>(m->numRows()));
        KokkosSparse::spmv("N", static_cast<T>(alpha), *m, in, static_cast<T>(beta), out);
        space().fence();
        return 0;
    } catch (const std::exception &e) {
        say(why, size, e.what());
        return -1;
    }
}

} // namespace

extern "C" int rc_kokkos_threads(int threads, char *why, size_t size)
{
    try {
        if (!Kokkos::is_initialized()) {
            Kokkos::InitArguments with;
            with.num_threads = threads;
            with.disable_warnings = true;
            Kokkos::initialize(with);
            (void)std::atexit(end);
        }
        return space().concurrency();
    } catch (const std::exception &e) {
        say(why, size, e.what());
        return 0;
    }
}

const rc_kokkos_t rc_kokkos_f32 = {make<float>, drop<float>, multiply<float>};
const rc_kokkos_t rc_kokkos_f64 = {make<double>, drop<double>, multiply<double>};
