"""What the disk may hold after a loss of power, from the journal that `recording_calls.c` writes.

    disk = Disk(base)                # a directory whose files are all on the disk
    for entry in read(journal):
        disk.apply(entry)
    disk.state(OnlySynced())         # {name: bytes}

Every file counts alike, whatever its name. What was not synced may be lost or kept, in any order, sector by sector. A
sector holds what the file held there at some moment since the last sync. The length of a file is that of some moment too.
Names that were made, moved or removed since the directory was synced last are kept up to one of them, as a file system
with a journal does. A file that is written through a mapping keeps only what was synced; at the end of the journal any of
its sectors may be on the disk as well.
"""
import struct

HEADER = struct.Struct("<BBHIQQQ")
GARBAGE_BYTES = 4096


class Entry:
    __slots__ = ("at", "end", "kind", "names", "inode", "place", "size", "data")

    def __init__(self, at, end, kind, names, inode, place, size, data):
        self.at, self.end, self.kind, self.names = at, end, kind, names
        self.inode, self.place, self.size, self.data = inode, place, size, data


def read(path):
    """The entries that are whole."""
    content = memoryview(path.read_bytes())
    entries, at = [], 0
    while at + HEADER.size <= len(content):
        kind, _, length, _, inode, place, size = HEADER.unpack_from(content, at)
        names_at = at + HEADER.size
        data_at = names_at + length
        end = data_at + (size if chr(kind) == "W" else 0)
        if end > len(content):
            break
        names = bytes(content[names_at:data_at]).decode().split("\0")
        entries.append(Entry(at, end, chr(kind), names, inode, place, size, content[data_at:end]))
        at = end
    return entries


class File:
    def __init__(self, content=b""):
        self.synced = bytearray(content)
        self.pending = []  # what came since: (where in the journal, place, data), or (where, length, None)
        self.is_mapped = False

    def sync(self, began):
        """Everything that was noted before the sync began is on the disk."""
        kept = 0
        for at, place, data in self.pending:
            if at >= began:
                break
            if data is None:
                resize(self.synced, place)
            else:
                put(self.synced, place, data)
            kept += 1
        del self.pending[:kept]

    def content(self, choice):
        """The bytes after the loss: for each sector, and for the length, the choice says how many of the pending count."""
        content, length = bytearray(self.synced), len(self.synced)
        upto, sizes_upto = {}, choice.moment(len(self.pending))
        for index, (_, place, data) in enumerate(self.pending):
            if data is None:
                length = place if index < sizes_upto else length
                for start in range(place - place % choice.sector, len(content), choice.sector):
                    if index < self._upto(upto, start, choice):
                        begin, end = max(start, place), min(start + choice.sector, len(content))
                        content[begin:end] = bytes(end - begin)
                continue
            length = max(length, place + len(data)) if index < sizes_upto else length
            end = place + len(data)
            for start in range(place - place % choice.sector, end, choice.sector):
                if index < self._upto(upto, start, choice):
                    begin, stop = max(start, place), min(start + choice.sector, end)
                    put(content, begin, data[begin - place:stop - place])
        if length > len(content):
            content += choice.filling(length - len(content))
        del content[length:]
        return bytes(content)

    def _upto(self, upto, start, choice):
        if start not in upto:
            upto[start] = choice.moment(len(self.pending))
        return upto[start]


class Disk:
    def __init__(self, base):
        """`base`: bytes by name."""
        self.names = {name: File(content) for name, content in base.items()}
        self.synced_names = dict(self.names)
        self.pending_names = []  # (where in the journal, name, file or None)
        self.by_inode = {}

    def apply(self, entry):
        kind, names = entry.kind, entry.names
        if kind == "C":
            self.by_inode[entry.inode] = File()
            self._name(entry.at, (names[0], self.by_inode[entry.inode]))
        elif kind == "O":
            self.by_inode[entry.inode] = self.names[names[0]]
        elif kind == "W":
            self.by_inode[entry.inode].pending.append((entry.at, entry.place, entry.data))
        elif kind == "T":
            self.by_inode[entry.inode].pending.append((entry.at, entry.place, None))
        elif kind == "S":
            self.by_inode[entry.inode].sync(entry.place)
        elif kind == "D":
            while self.pending_names and self.pending_names[0][0] < entry.place:
                rename(self.synced_names, self.pending_names.pop(0)[1])
        elif kind == "M":
            self.by_inode[entry.inode].is_mapped = True
        elif kind == "U":
            self._name(entry.at, (names[0], None))
        elif kind == "L":
            self._name(entry.at, (names[1], self.names[names[0]]))
        elif kind == "R":
            # One step, as it is one on the disk.
            self._name(entry.at, (names[1], self.names[names[0]]), (names[0], None))
        else:
            raise ValueError(f"the journal has an entry {kind!r}")

    def _name(self, at, *changes):
        self.pending_names.append((at, changes))
        rename(self.names, changes)

    def state(self, choice, mapped=None):
        """Bytes by name. `mapped`: what the files that are mapped hold at the end, by name."""
        names = dict(self.synced_names)
        for _, changes in self.pending_names[:choice.names_moment(len(self.pending_names))]:
            rename(names, changes)
        found = {}
        for name, file in names.items():
            if file.is_mapped and not choice.is_everything:
                now = (mapped or {}).get(name)
                found[name] = bytes(file.synced) if now is None else mixed(bytes(file.synced), now, choice)
            else:
                found[name] = file.content(choice)
        return found

    def mapped_names(self):
        return [name for name, file in self.names.items() if file.is_mapped]


class OnlySynced:
    """Nothing that was not synced."""
    name, sector, is_everything = "only what was synced", 4096, False

    def moment(self, count):
        return 0

    def names_moment(self, count):
        return 0

    def filling(self, count):
        return bytes(count)


class Everything(OnlySynced):
    """What the kernel holds: as after SIGKILL."""
    name, is_everything = "everything", True

    def moment(self, count):
        return count

    def names_moment(self, count):
        return count


class AnySectors:
    """Random sectors of what was not synced: torn, in any order, some as they were in between."""
    is_everything = False

    def __init__(self, chance):
        self.chance = chance
        self.sector = chance.choice((512, 4096))
        self.all, self.none = sorted((chance.random(), chance.random()))
        self.is_garbage = chance.random() < 0.5
        self.name = f"sectors of {self.sector}, {self.all:.0%} new, {1 - self.none:.0%} old"

    def moment(self, count):
        drawn = self.chance.random()
        return count if drawn < self.all else self.chance.randint(0, count) if drawn < self.none else 0

    def names_moment(self, count):
        return self.chance.randint(0, count)

    def filling(self, count):
        """What a file system may show where a file has grown and was not written: nothing, or old blocks."""
        return (self.chance.randbytes(GARBAGE_BYTES) * (count // GARBAGE_BYTES + 1))[:count] if self.is_garbage else bytes(count)


def mixed(old, new, choice):
    """Sectors of a mapped file: each as it was synced, or as it is."""
    content = bytearray(old[:len(new)] + bytes(max(0, len(new) - len(old))))
    for start in range(0, len(new), choice.sector):
        if choice.moment(1):
            content[start:start + choice.sector] = new[start:start + choice.sector]
    return bytes(content)


def rename(names, changes):
    for name, file in changes:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file


def put(content, place, data):
    if place > len(content):
        content += bytes(place - len(content))
    content[place:place + len(data)] = data


def resize(content, length):
    if length < len(content):
        del content[length:]
    else:
        content += bytes(length - len(content))


def files_of(directory):
    """The bytes of the regular files, by name."""
    return {file.name: file.read_bytes() for file in directory.iterdir() if file.is_file() and not file.is_symlink()}


def write(directory, state):
    directory.mkdir(mode=0o700)
    for name, content in state.items():
        path = directory / name
        path.touch(mode=0o600)
        path.write_bytes(content)
