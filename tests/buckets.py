"""An object store on this machine that speaks as Amazon S3 does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs
import pytest
from moto.server import ThreadedMotoServer


@contextmanager
def serve_bucket() -> Iterator[str]:
    """Yields the address of an empty bucket; its server listens on this machine until the end.

    The environment says where it is and has keys for it, as that of a user of such a store does.
    """
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


def put(path: str, content: bytes) -> str:
    """Writes an object, and returns its address."""
    system, place = pyarrow.fs.FileSystem.from_uri(path)
    with system.open_output_stream(place, compression=None) as file:
        file.write(content)
    return path
