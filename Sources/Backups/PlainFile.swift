internal import Glibc

/// A file that is written or read sequentially.
package final class PlainFile {
    package let path: String
    private let descriptor: Int32

    /// Creates a file that is accessible only to its owner; an existing file is refused.
    package init(making path: String) throws(BackupFault) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw PlainFile.fault(path, "cannot be made") }
        guard fchmod(descriptor, 0o600) == 0 else { throw PlainFile.fault(path, "cannot be kept to its owner") }
    }

    package init(reading path: String) throws(BackupFault) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw PlainFile.fault(path, "cannot be opened") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .file(path: path, reason: "is not a file")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    package func write(_ bytes: [UInt8]) throws(BackupFault) {
        var done = 0
        while done < bytes.count {
            let put = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if put < 0 && errno == EINTR { continue }
            guard put > 0 else { throw PlainFile.fault(path, "cannot be written") }
            done += put
        }
    }

    /// The next bytes, fewer at the end of the file.
    package func read(_ count: Int) throws(BackupFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, count - filled)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw PlainFile.fault(path, "cannot be read") }
            if got == 0 { break }
            filled += got
        }
        if filled < count { bytes.removeLast(count - filled) }
        return bytes
    }

    /// Returns once the whole file is on the disk. A following read comes from the disk, not from the page cache.
    package func sync() throws(BackupFault) {
        guard fsync(descriptor) == 0 else { throw PlainFile.fault(path, "cannot be synchronised") }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    private static func fault(_ path: String, _ what: String) -> BackupFault {
        .file(path: path, reason: "\(what): \(String(cString: strerror(errno)))")
    }
}
