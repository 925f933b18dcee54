#!/usr/bin/env python3
"""Zips a folder into a wheel, with the metadata of src/python/pyproject.toml, by the standard library alone.

Usage: jobs/package/wheel.py STAGED VERSION TAG OUT, as jobs/package-wheel.sh does it.
  STAGED   what goes into site-packages, and licenses/, which goes to the metadata
  TAG      of the platform, manylinux_2_35_x86_64
Prints the name of the file.
"""
import ast
import base64
import hashlib
import os
import pathlib
import sys
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src" / "python"


def sections(path):
    """Strings and lists of a TOML file by section: they are written as those of Python."""
    found, section = {}, {}
    for line in path.read_text().splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[] "), {})
        elif " = " in line and not line.startswith("#"):
            name, value = line.split(" = ", 1)
            try:
                section[name] = ast.literal_eval(value)
            except (SyntaxError, ValueError):
                section[name] = value
    return found


def metadata(version, licenses):
    """METADATA."""
    read = sections(SOURCE / "pyproject.toml")
    project = read["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version}",
             f"Summary: {project['description']}", f"License: {project['license'].split(chr(34))[1]}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    for extra, names in read["project.optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {name}; extra == '{extra}'" for name in names]
    lines += [f"License-File: {name}" for name in licenses]
    text = (SOURCE / "README.md").read_text()
    return "\n".join(lines + ["Description-Content-Type: text/markdown", "", text])


def write(staged, version, tag, out):
    """The wheel.  The same files give the same bytes."""
    name = f"rowcast-{version}"
    file = pathlib.Path(out) / f"{name}-py3-none-{tag}.whl"
    licenses = sorted(p.name for p in (staged / "licenses").iterdir())
    where = {p: p.relative_to(staged).as_posix() for p in staged.rglob("*") if p.is_file()}
    files = {f"{name}.dist-info/{to}" if to.startswith("licenses/") else to: p.read_bytes()
             for p, to in where.items()}
    files[f"{name}.dist-info/METADATA"] = metadata(version, licenses).encode()
    files[f"{name}.dist-info/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: rowcast\nRoot-Is-Purelib: false\n"
                                        f"Tag: py3-none-{tag}\n").encode()
    rows = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for to, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{to},sha256={digest},{len(data)}\n")
            add(z, to, data)
        record = f"{name}.dist-info/RECORD"
        add(z, record, "".join(rows + [f"{record},,\n"]).encode())
    return file


def add(z, to, data):
    """One file, of no time."""
    info = zipfile.ZipInfo(to)
    info.external_attr = (0o100755 if ".so" in os.path.basename(to) else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    z.writestr(info, data)


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        sys.exit()
    if len(sys.argv) != 5 or not (pathlib.Path(sys.argv[1]) / "licenses").is_dir():
        print("usage: jobs/package/wheel.py STAGED VERSION TAG OUT", file=sys.stderr)
        sys.exit(2)
    print(write(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
