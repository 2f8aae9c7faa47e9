"""A file system in memory that keeps, when the power is cut, what was synced and nothing else (Linux FUSE, as root).

A file's name is kept from the first sync of the file or of the folder on. It speaks the kernel's protocol itself
(linux/fuse.h), so that nothing need be installed; one flat folder is all that a database asks for.
"""

import ctypes
import errno
import os
import stat
import struct
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = 1
_MNT_DETACH: Final = 2
_HEADER = struct.Struct("<IIQQIIII")
_ANSWER = struct.Struct("<IiQ")
_ATTRIBUTES = struct.Struct("<6Q10I")
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(slots=True)
class File:
    """What a program sees, what is on the disk, and the writes between them."""

    seen: bytearray = field(default_factory=bytearray)
    disk: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    kept: bool = False

    def write(self, offset: int, content: bytes) -> None:
        """Seen at once, on the disk with the next sync."""
        _put(self.seen, offset, content)
        self.unsynced.append((offset, content))

    def truncate(self, size: int) -> None:
        """Shorter or longer."""
        self.seen = bytearray(self.seen[:size].ljust(size, b"\0"))
        self.unsynced.append((size, b""))

    def sync(self) -> None:
        """All writes so far reach the disk."""
        for offset, content in self.unsynced:
            if content:
                _put(self.disk, offset, content)
            else:
                self.disk = bytearray(self.disk[:offset].ljust(offset, b"\0"))
        self.unsynced.clear()
        self.kept = True


def _put(content: bytearray, offset: int, written: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(written)] = written


class Refused(Exception):  # noqa: N818  # read as a sentence
    """An answer with an error number."""


class SyncedOnly:
    """The file system; mount it, cut the power, mount it again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, int] = {}
        self.files: dict[int, File] = {}
        self.cut = self.syncs = self.failed = 0
        self.failing = False
        """Syncs fail; what they should have written is taken for written, as Linux does."""
        self._device = -1
        self._thread: threading.Thread | None = None
        self._off = False

    def mount(self) -> None:
        """OSError where this machine does not let us."""
        self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self._device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}".encode()
        if _LIBC.mount(b"synced-only", bytes(self.folder), b"fuse", 0, options):
            os.close(self._device)
            raise OSError(ctypes.get_errno(), "mount")
        self._off = False
        self._thread = threading.Thread(target=self._serve, args=(self._device,), daemon=True)
        self._thread.start()

    def cut_power(self) -> None:
        """From this moment nothing reaches the disk; call unmount() when the program is gone."""
        self._off = True
        self.cut += 1

    def unmount(self) -> None:
        """Let go, and lose what was not synced if the power was cut."""
        _LIBC.umount2(bytes(self.folder), _MNT_DETACH)
        if self._thread is not None:
            self._thread.join(10)
        if self._off:
            self.names = {name: node for name, node in self.names.items() if self.files[node].kept}
            self.files = {
                node: File(bytearray(self.files[node].disk), bytearray(self.files[node].disk), kept=True)
                for node in self.names.values()
            }

    def copy_to(self, folder: Path) -> None:
        """The files as they are, in an ordinary folder."""
        for name, node in self.names.items():
            (folder / name).write_bytes(self.files[node].seen)

    # --- the kernel's questions -------------------------------------------------------------

    def _serve(self, device: int) -> None:
        while True:
            try:
                question = os.read(device, 1 << 20)
            except OSError as fault:
                if fault.errno in {errno.EINTR, errno.ENOENT, errno.EAGAIN}:
                    continue
                break  # unmounted
            _, code, unique, node, *_ = _HEADER.unpack_from(question)
            answer = self._answer(code, node, question[_HEADER.size :])
            if answer is not None:
                self._tell(device, unique, answer)
        os.close(device)

    def _tell(self, device: int, unique: int, answer: bytes | int) -> None:
        error, content = (-answer, b"") if isinstance(answer, int) else (0, answer)
        try:
            os.write(device, _ANSWER.pack(_ANSWER.size + len(content), error, unique) + content)
        except OSError:
            return  # who asked is gone

    def _answer(self, code: int, node: int, body: bytes) -> bytes | int | None:
        if code in {2, 36, 42}:  # FORGET, INTERRUPT, BATCH_FORGET want no answer
            return None
        if self._off:
            return errno.EIO
        handler = _HANDLERS.get(code)
        try:
            return handler(self, node, body) if handler else errno.ENOSYS
        except Refused as refused:
            return int(refused.args[0])

    def _init(self, node: int, body: bytes) -> bytes:
        _, _, ahead, _ = struct.unpack_from("<IIII", body)
        return struct.pack("<IIIIHHIIHHI7I", 7, 31, ahead, 0, 16, 12, 1 << 17, 1, 32, 0, 0, *([0] * 7))

    def _attributes(self, node: int) -> bytes:
        is_root = node == ROOT
        size = 0 if is_root else len(self.files[node].seen)
        mode = (stat.S_IFDIR | 0o755) if is_root else (stat.S_IFREG | 0o644)
        times = (0, 0, 0, 0, 0, 0)
        return _ATTRIBUTES.pack(node, size, -(-size // 512), *times, mode, 1, os.getuid(), os.getgid(), 0, 4096, 0)

    def _entry(self, node: int) -> bytes:
        return struct.pack("<QQQQII", node, 0, 1, 1, 0, 0) + self._attributes(node)

    def _lookup(self, node: int, body: bytes) -> bytes:
        found = self.names.get(_name(body))
        if found is None:
            raise Refused(errno.ENOENT)
        return self._entry(found)

    def _getattr(self, node: int, body: bytes) -> bytes:
        return struct.pack("<QII", 1, 0, 0) + self._attributes(node)

    def _setattr(self, node: int, body: bytes) -> bytes:
        valid, _, _, size = struct.unpack_from("<IIQQ", body)
        if valid & 8:  # the size
            self.files[node].truncate(size)
        return self._getattr(node, body)

    def _create(self, node: int, body: bytes) -> bytes:
        name = _name(body[16:])
        made = self.names.get(name) or max((ROOT, *self.files)) + 1
        self.names[name] = made
        self.files.setdefault(made, File())
        return self._entry(made) + self._open(made, body)

    def _open(self, node: int, body: bytes) -> bytes:
        return struct.pack("<QIi", node, 0, 0)

    def _read(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        return bytes(self.files[node].seen[offset : offset + size])

    def _write(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        self.files[node].write(offset, body[40 : 40 + size])
        return struct.pack("<II", size, 0)

    def _fsync(self, node: int, body: bytes) -> bytes:
        if self.failing:
            self.failed += 1
            self.files[node].unsynced.clear()
            raise Refused(errno.EIO)
        self.syncs += 1
        self.files[node].sync()
        return b""

    def _fsyncdir(self, node: int, body: bytes) -> bytes:
        for each in self.names.values():
            self.files[each].kept = True
        return b""

    def _unlink(self, node: int, body: bytes) -> bytes:
        if self.names.pop(_name(body), None) is None:
            raise Refused(errno.ENOENT)
        return b""

    def _nothing(self, node: int, body: bytes) -> bytes:
        return b""

    def _statfs(self, node: int, body: bytes) -> bytes:
        return struct.pack("<5Q4I6I", 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 4096, 255, 4096, 0, *([0] * 6))


def _name(body: bytes) -> str:
    return body.split(b"\0", 1)[0].decode()


_HANDLERS: Final = {
    1: SyncedOnly._lookup,
    3: SyncedOnly._getattr,
    4: SyncedOnly._setattr,
    10: SyncedOnly._unlink,
    14: SyncedOnly._open,
    15: SyncedOnly._read,
    16: SyncedOnly._write,
    17: SyncedOnly._statfs,
    18: SyncedOnly._nothing,
    20: SyncedOnly._fsync,
    25: SyncedOnly._nothing,
    26: SyncedOnly._init,
    27: SyncedOnly._open,
    28: SyncedOnly._nothing,
    29: SyncedOnly._nothing,
    30: SyncedOnly._fsyncdir,
    34: SyncedOnly._nothing,
    35: SyncedOnly._create,
    38: SyncedOnly._nothing,
}
"""By the numbers of linux/fuse.h."""
