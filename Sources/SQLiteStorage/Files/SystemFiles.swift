#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The few calls on files and folders that the store needs besides SQLite.
enum SystemFiles {
    /// A refused system call; its description is the system's own sentence.
    struct Refusal: Error, CustomStringConvertible {
        let number: Int32

        static var last: Refusal { Refusal(number: errno) }

        var description: String { String(cString: strerror(number)) }
    }

    /// The names in a folder, unordered, without `.` and `..`.
    static func names(in folder: String) throws(Refusal) -> [String] {
        guard let stream = opendir(folder) else { throw .last }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// The whole content of a file, at most `limit` bytes.
    static func content(of path: String, limit: Int) throws(Refusal) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .last }
            guard count > 0 else { return content }
            content += chunk[..<count]
            guard content.count <= limit else { throw Refusal(number: EFBIG) }
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Size in bytes; 0 when there is no such file.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

extension SystemFiles {
    /// When a file was last written, such as `2026-11-23 02:11:09 UTC`; `nil`: there is no such file.
    static func changeTime(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Glibc)
            var seconds = status.st_mtim.tv_sec
        #else
            var seconds = status.st_mtimespec.tv_sec
        #endif
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return nil }
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(parts.tm_year + 1900)-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday))"
        return "\(day) \(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) UTC"
    }
}

/// A file that is read and written at given offsets. Not for the database file itself: closing it would drop SQLite's
/// locks.
final class OpenFile {
    enum Purpose { case reading, writing }

    private let descriptor: Int32

    /// For writing, a missing file is created, accessible only to its owner.
    init(_ path: String, _ purpose: Purpose) throws(SystemFiles.Refusal) {
        let flags = purpose == .writing ? O_RDWR | O_CREAT : O_RDONLY
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    var identity: FileIdentity? { FileIdentity(of: descriptor) }

    /// Up to `count` bytes; fewer at the end of the file.
    func read(_ count: Int, at offset: Int) throws(SystemFiles.Refusal) -> [UInt8] {
        var refusal: SystemFiles.Refusal?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { refusal = .last }
                guard got > 0 else { return }
                filled += got
            }
        }
        if let refusal { throw refusal }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemFiles.Refusal) {
        var done = 0
        while done < bytes.count {
            let put = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if put < 0 && errno == EINTR { continue }
            guard put > 0 else { throw .last }
            done += put
        }
    }

    /// Truncates the file to zero bytes, durably.
    func empty() throws(SystemFiles.Refusal) {
        guard ftruncate(descriptor, 0) == 0 else { throw .last }
        try sync()
    }

    func sync() throws(SystemFiles.Refusal) {
        guard fsync(descriptor) == 0 else { throw .last }
    }
}

/// Identifies a file independently of its name.
struct FileIdentity: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// `nil`: there is no such file.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
