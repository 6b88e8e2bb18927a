"""Stores for tests: a folder that represents one, and a server that speaks as Amazon S3 does."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs
import pytest
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem

from tallystick.io.files import stores


@contextmanager
def keep_bucket() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        local = DirFileSystem(folder, LocalFileSystem(auto_mkdir=True))
        local.mkdir("bucket-0")
        held = pyarrow.fs.PyFileSystem(pyarrow.fs.FSSpecHandler(local))
        patch.setattr(stores, "_open_store", lambda *_: held)
        yield "s3://bucket-0"


@contextmanager
def serve_bucket() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    bucket = f"bucket-{port}-{os.getpid()}"  # stores are remembered by the names of their buckets
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        try:
            store = pyarrow.fs.S3FileSystem(
                endpoint_override=f"{host}:{port}", scheme="http", allow_bucket_creation=True
            )
            store.create_dir(bucket)
            yield f"s3://{bucket}"
        finally:
            server.stop()


BUCKETS = [
    pytest.param(keep_bucket, id="folder"),
    pytest.param(serve_bucket, id="s3", marks=pytest.mark.peers),
]
"""Ways to open a bucket for the tests of a module."""

S3 = pytest.mark.parametrize("bucket", BUCKETS[1:], indirect=True)
"""Marks tests that need a server."""


def put(path: str, content: bytes) -> str:
    stores.store(path, content)
    return path
