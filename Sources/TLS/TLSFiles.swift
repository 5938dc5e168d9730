internal import Glibc

/// Where certificate and key are.
package struct TLSFiles: Sendable, Equatable {
    /// The certificate of the server, then those that issued it, in PEM.
    package var certificate: String
    /// In PEM, mode 0600 or 0400.
    package var key: String
    /// Authorities that issue certificates of API clients, in PEM; `nil`: no client is asked for one.
    package var clientAuthorities: String?

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }

    private static let maxBytes = 256 * 1024

    /// Tells one state of the files from another: a file that was written or replaced has another identity.
    struct Stamp: Equatable {
        private let parts: [Int]

        init(_ files: TLSFiles) {
            parts = [files.certificate, files.key, files.clientAuthorities].compactMap(\.self).flatMap { path in
                var status = stat()
                guard stat(path, &status) == 0 else { return [0] }
                return [
                    Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec,
                ]
            }
        }
    }

    /// The whole of a file.
    ///
    /// Links are followed: certificate clients keep the current files behind links.
    /// - Parameter isSecret: nobody but the user of the server may read it.
    static func read(_ path: String, _ file: TLSFault.File, isSecret: Bool) throws(TLSFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw TLSFault(
                file: file,
                reason: "\(path) cannot be opened: \(String(cString: strerror(errno))); the user of the server must be "
                    + "able to read it")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TLSFault(file: file, reason: "\(path) is not a file")
        }
        if isSecret {
            guard status.st_mode & 0o7777 == 0o600 || status.st_mode & 0o7777 == 0o400 else {
                throw TLSFault(
                    file: file, reason: "\(path) can be read by others: it must have mode 0600 (chmod 600 \(path))")
            }
            guard status.st_uid == geteuid() else {
                throw TLSFault(file: file, reason: "\(path) must belong to the user the server runs as")
            }
        }
        guard status.st_size <= maxBytes else {
            throw TLSFault(file: file, reason: "\(path) is longer than \(maxBytes) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard Glibc.read(descriptor, &bytes, bytes.count) == bytes.count else {
            throw TLSFault(file: file, reason: "\(path) cannot be read")
        }
        return bytes
    }
}
