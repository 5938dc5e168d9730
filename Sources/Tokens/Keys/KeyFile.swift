import Glibc

/// A secret file is unfit or cannot be used; the text names path and cause, never content.
package struct KeyFileFault: Error, Sendable, Equatable {
    package let reason: String
}

/// Files that hold a secret.
enum KeyFile {
    /// The whole file.
    ///
    /// - Throws: `KeyFileFault` unless it is a regular file of a size in `sizes`, owned by the running user, with mode
    ///   0600 (TOK-13).
    static func read(_ path: String, sizes: ClosedRange<Int>) throws(KeyFileFault) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw fault("cannot be opened", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw fault("cannot be examined", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw KeyFileFault(reason: "key file \(path) is not a file") }
        guard status.st_mode & 0o7777 == 0o600 else {
            throw KeyFileFault(reason: "key file \(path) must have mode 0600")
        }
        guard status.st_uid == geteuid() else {
            throw KeyFileFault(reason: "key file \(path) must belong to the user the server runs as")
        }
        let size = Int(status.st_size)
        guard sizes.contains(size) else {
            let range =
                sizes.count == 1 ? "\(sizes.lowerBound)" : "\(sizes.lowerBound) to \(sizes.upperBound)"
            throw KeyFileFault(reason: "key file \(path) must be \(range) bytes long")
        }
        var bytes = [UInt8](repeating: 0, count: size)
        guard Glibc.read(file, &bytes, size) == size else {
            bytes.wipe()
            throw fault("cannot be read", path)
        }
        return bytes
    }

    static func fault(_ what: String, _ path: String) -> KeyFileFault {
        KeyFileFault(reason: "key file \(path) \(what): \(String(cString: strerror(errno)))")
    }
}
