"""
Builds the wheel and the sdist with nothing but the standard library, the same bytes from the same sources. pip calls it as PEP 517
describes; `python3 build_backend.py DIRECTORY` builds both.
"""

import base64
import gzip
import hashlib
import io
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
#: Python 3.9 has no reader of TOML.
PROJECT = dict(re.findall(r'^([\w-]+) = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE))
NAME, VERSION = PROJECT["name"].replace("-", "_"), PROJECT["version"]
DIST_INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {PROJECT["name"]}
Version: {VERSION}
Summary: {PROJECT["description"]}
Requires-Python: {PROJECT["requires-python"]}
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text("utf-8")}""".encode()


def modules() -> "list[Path]":
    return sorted(path for path in (ROOT / "src" / NAME).iterdir() if path.suffix in (".py", ".typed"))


def build_wheel(directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in modules()}
    files[f"{DIST_INFO}/METADATA"] = METADATA
    files[f"{DIST_INFO}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: cxp\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = [f"{name},sha256={sha256(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{DIST_INFO}/RECORD"] = "".join([*record, f"{DIST_INFO}/RECORD,,\n"]).encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(Path(directory) / wheel, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, content)
    return wheel


def build_sdist(directory: str, config_settings: object = None) -> str:
    base = f"{NAME}-{VERSION}"
    sources = [ROOT / "README.md", ROOT / "build_backend.py", ROOT / "pyproject.toml", *modules()]
    files = {"PKG-INFO": METADATA, **{str(path.relative_to(ROOT)): path.read_bytes() for path in sources}}
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", fileobj=packed, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name, content in files.items():
                entry = tarfile.TarInfo(f"{base}/{name}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    (Path(directory) / f"{base}.tar.gz").write_bytes(packed.getvalue())
    return f"{base}.tar.gz"


def sha256(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    Path(sys.argv[1]).mkdir(parents=True)
    print(build_wheel(sys.argv[1]), build_sdist(sys.argv[1]))
