#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The few calls on files and folders that the store needs beside the engine's own.
enum SystemFiles {
    /// A refused system call; its description is the system's own sentence.
    struct Refusal: Error, CustomStringConvertible {
        let number: Int32

        static var last: Refusal { Refusal(number: errno) }

        var description: String { String(cString: strerror(number)) }
    }

    /// The names in a folder, in no order, `.` and `..` left out.
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

    /// The whole of a file, `limit` bytes at most.
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

/// A file itself, whatever its name is.
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
