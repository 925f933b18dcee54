# Spack recipe: put it into a repository of yours as packages/rowcast/package.py, then `spack install rowcast +cuda`.
# Not run: there was no Spack at hand.  tests/cli/package.t reads it with stand-ins for Spack's functions, and compares its
# options with those of configure.
# Set git to where you have the source; there is no release archive yet.
from spack.package import *


class Rowcast(AutotoolsPackage, CudaPackage):
    """Row orders and kernels of sparse x dense products (SpMM): measured, predicted, and as plans on GPUs."""

    homepage = "https://example.org/rowcast"
    git = "https://example.org/rowcast.git"
    license("Apache-2.0")

    version("main", branch="main")

    variant("metis", default=True, description="Orders by METIS")
    variant("amd", default=True, description="Orders by SuiteSparse's AMD")
    variant("openblas", default=True, description="Networks trained with OpenBLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5+mpi+hl")
    depends_on("libarchive@3.3:")
    depends_on("zlib-api")
    depends_on("jansson@2.7:")
    depends_on("xxhash@0.8:")
    depends_on("curl")
    depends_on("libpng")
    depends_on("metis", when="+metis")
    depends_on("suite-sparse", when="+amd")
    depends_on("openblas", when="+openblas")
    depends_on("cuda@12:", when="+cuda")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=80,90")

    def autoreconf(self, spec, prefix):
        autoreconf("-fi")

    def configure_args(self):
        spec = self.spec
        # not what configure may find on the machine
        args = [f"CC={spec['mpi'].mpicc}", "--with-hdf5=parallel", "--without-xgboost", "--without-libsvm"]
        for name in ("metis", "amd", "openblas"):
            args.append(("--with-" if spec.satisfies("+" + name) else "--without-") + name)
        if spec.satisfies("+cuda"):
            args += [f"--with-cuda={spec['cuda'].prefix}",
                     "--with-cuda-arch=" + ",".join(spec.variants["cuda_arch"].value)]
        else:
            args.append("--without-cuda")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", join_path(self.prefix.share, "rowcast", "python"))
