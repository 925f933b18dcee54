#!/bin/sh
# The Spack recipe and the Apptainer definition, as far as they can be read without those programs; what is built for which GPU.
# shellcheck source=tests/cli/tap.sh
. "${top_srcdir:?}/tests/cli/tap.sh"

folder=$top_srcdir/jobs/package
plan 11

# Stand-ins for what the recipe calls; prints the words for configure, and names of packages that it depends on.
recipe()
{
    python3 - "$folder/package.py" "$@" <<'PYTHON'
import sys, types

package = types.ModuleType("spack.package")
said = {"variant": [], "depends_on": []}
for name in ("variant", "depends_on", "version", "license", "conflicts"):
    setattr(package, name, lambda *a, _n=name, **k: said.get(_n, []).append((a[0], k)))
package.AutotoolsPackage = type("AutotoolsPackage", (), {})
package.CudaPackage = type("CudaPackage", (), {})
package.join_path = lambda *a: "/".join(a)
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package
names = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), names)


class Spec(dict):
    variants = {"cuda_arch": types.SimpleNamespace(value=("80", "90"))}
    known = {a for a, _ in said["variant"]} | {"cuda"}

    def satisfies(self, what):
        assert what[0] == "+" and what[1:] in self.known, what
        return what in sys.argv[2:]


recipe = names["Rowcast"]()
recipe.spec = Spec(mpi=types.SimpleNamespace(mpicc="mpicc"), cuda=types.SimpleNamespace(prefix="/cuda"))
conditions = {k["when"] for _, k in said["depends_on"] if "when" in k}
assert conditions <= {"+" + v for v in Spec.known}, conditions
print("\n".join(recipe.configure_args()))
PYTHON
}

# recipe_fits VARIANT...: configure knows each word
recipe_fits()
{
    recipe "$@" >"$tmp/words" || return 1
    "$top_srcdir/configure" --help >"$tmp/help"
    while read -r word; do
        case $word in
        --with-*) name=${word#--with-} ;;
        --without-*) name=${word#--without-} ;;
        *=*) continue ;;
        *) echo "$word: no option"; return 1 ;;
        esac
        grep -q -E -e "--with(out)?-${name%%=*}(=|\[|  )" "$tmp/help" || { echo "configure knows no $word"; return 1; }
    done <"$tmp/words"
    test -s "$tmp/words"
}

# section NAME: its lines, of all stages
section()
{
    awk -v name="%$1" '/^%/ { open = $1 == name; next } /^Bootstrap:/ { open = 0 } open' "$folder/rowcast.def"
}

# packages FILE-WITH-COMMANDS: of its first apt-get install
packages()
{
    sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$1" | sed -n 's/.*apt-get install -y --no-install-recommends //p' | head -n 1 | tr -s ' ' '\n' | sort
}

same_packages()
{
    section post >"$tmp/post"
    packages "$tmp/post" >"$tmp/found"
    # shellcheck disable=SC2016  # for that shell
    bash -c '. "$1/jobs/setup.sh"; printf "%s\n" "${packages_build[@]}"' bash "$top_srcdir" | sort >"$tmp/want"
    test -s "$tmp/want" && diff "$tmp/want" "$tmp/found"
}

sections_read()
{
    for name in post environment runscript test; do
        section $name >"$tmp/section"
        if ! test -s "$tmp/section" || ! sh -n "$tmp/section"; then echo "%$name"; return 1; fi
    done
}

if command -v python3 >/dev/null; then
    ok "configure knows the words of the Spack recipe" recipe_fits +cuda +metis +amd +openblas
    ok "without variants too" recipe_fits
else
    skip "configure knows the words of the Spack recipe" "no python3"
    skip "without variants too" "no python3"
fi
ok "the Apptainer definition installs what a build needs" same_packages
ok "a shell can read its sections" sections_read
ok "the stages are two, the second from the first" grep -q '^%files from build$' "$folder/rowcast.def"

# what the quick start builds for: the GPUs at hand, unless nvcc has no code for one
mkdir "$tmp/bin"
printf '#!/bin/sh\ncat "%s/caps"\n' "$tmp" >"$tmp/bin/nvidia-smi"
printf '#!/bin/sh\nprintf "sm_80\\nsm_90\\n"\n' >"$tmp/bin/nvcc"
chmod +x "$tmp/bin/nvidia-smi" "$tmp/bin/nvcc"
architectures() # architectures CAPABILITY...
{
    printf '%s\n' "$@" >"$tmp/caps"
    PATH=$tmp/bin:$PATH bash -euo pipefail -c '. "$1/jobs/setup.sh"; gpu_architectures' x "$top_srcdir"
}
if command -v bash >/dev/null; then
    is "the GPUs of the machine" "$(architectures 9.0 8.0 9.0)" 80,90
    is "one that nvcc does not know" "$(architectures 9.0 12.0)" ""
    is "none" "$(architectures 'No devices were found')" ""
    # how far a build is: what make would say, and what it has said
    printf '%s\n' '  CC       a.lo' '  GEN      x.def' '  NVCC     b.lo' '  CCLD     c' >"$tmp/log"
    progress() # progress COMMAND
    {
        bash -euo pipefail -c '. "$1/jobs/setup.sh"; sleep() { SECONDS=330 && [[ ! -e $log.once ]] && touch "$log.once"; }; eval "$2"' x "$top_srcdir" "$1" "$tmp/log"
    }
    # shellcheck disable=SC2016  # for that shell
    is "objects are counted, with their work" "$(progress 'count_objects 4 <"$3"')" "3 47"
    # shellcheck disable=SC2016
    is "the rest is estimated" "$(progress 'SECONDS=0 && show_progress "$3" 7 94 4' | sed 's/^[^]]*] *//; s/:.. to go/ minutes to go/')" "3 of 7 objects, about 5 minutes to go"
    # a tree without CUDA, in a shell that stops at the first failure, as the scripts are
    mkdir "$tmp/tree"
    printf '#!/bin/sh\nprintf "all:\\n\\t@echo made >made\\n" >Makefile\n' >"$tmp/tree/configure"
    chmod +x "$tmp/tree/configure"
    : >"$tmp/tree/Makefile.in"
    bash -euo pipefail -c '. "$1/jobs/setup.sh"; top=$2; build_tree "$2/out" --without-cuda' x "$top_srcdir" "$tmp/tree" >"$tmp/out" 2>&1
    is "a tree without CUDA is built" "$? $(cat "$tmp/tree/out/made" 2>&1)" "0 made"
else
    for i in 1 2 3 4 5 6; do skip "the GPUs of the machine ($i)" "no bash"; done
fi
