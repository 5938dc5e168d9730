internal import BuiltInFiles
internal import Glibc

/// Reads whole files at the start, from the disk or from the program (`BuiltInPath`).
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
}
