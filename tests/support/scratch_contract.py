"""A contract written in a test: compiled with protoc, loaded into a pool of its own."""

import tempfile
from importlib import resources
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from grpc_tools import protoc  # type: ignore[import-untyped]  # grpcio-tools ships no types

PROTOS = Path(__file__).resolve().parents[2] / "protos"


def message_classes(text: str) -> dict[str, type[Message]]:
    """Compile the text of one .proto file; the classes of its top-level messages by full name."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scratch.proto").write_text(text, encoding="utf-8")
        out = Path(folder) / "set.binpb"
        well_known = resources.files("grpc_tools") / "_proto"
        command = ["protoc", f"-I{folder}", f"-I{PROTOS}", f"-I{well_known}", "--include_imports"]
        if protoc.main([*command, f"--descriptor_set_out={out}", "scratch.proto"]) != 0:
            raise AssertionError("protoc refused the scratch contract")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)  # type: ignore[no-untyped-call,unused-ignore]  # untyped in some versions of the stubs
    names = [f"{file.package}.{each.name}" for file in files.file[-1:] for each in file.message_type]
    found = {name: pool.FindMessageTypeByName(name) for name in names}  # type: ignore[no-untyped-call]  # stub lacks it
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}
