internal import Administration
internal import BuiltInFiles
internal import Glibc

/// Reads whole files from the disk or from the program (`BuiltInPath`), and writes small ones.
enum SmallFile {
    private static let maxBytes = 16 * 1024 * 1024

    /// `nil`: the file cannot be read; `errno` has the reason.
    static func read(_ path: String) -> [UInt8]? {
        if let builtIn = BuiltInPath(path) {
            errno = ENOENT
            return builtIn.content
        }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while all.count < maxBytes {
            let count = Glibc.read(file, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
        errno = EFBIG
        return nil
    }

    /// Writes a file so that a crash leaves the earlier content or the new one. It is durable on return.
    static func write(_ bytes: [UInt8], to path: String) throws(StartFault) {
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw Folder.fault(path, "cannot be written") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(draft, path) == 0 else {
            let fault = Folder.fault(path, "cannot be written")
            unlink(draft)
            throw fault
        }
        try Folder.sync(Folder.parent(of: path))
    }
}
