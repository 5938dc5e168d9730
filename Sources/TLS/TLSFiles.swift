internal import Glibc
internal import Secrets

/// The paths of certificate and key.
package struct TLSFiles: Sendable, Equatable {
    /// The server's certificate, followed by its issuers' certificates, in PEM.
    package var certificate: String
    /// In PEM, mode 0600 or 0400.
    package var key: String
    /// Authorities that issue certificates of API clients, in PEM; `nil`: clients are not asked for a certificate.
    package var clientAuthorities: String?

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientAuthorities = clientAuthorities
    }

    private static let maxBytes = 256 * 1024

    /// Distinguishes states of the files: a file that was written or replaced has a different identity.
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

    /// The whole content of a file.
    ///
    /// Links are followed: certificate clients keep the current files behind links.
    /// - Parameter isSecret: the file must be readable only by the server's user.
    static func read(_ path: String, _ file: TLSFault.File, isSecret: Bool) throws(TLSFault) -> [UInt8] {
        let rule = SecretFile.Rule(
            sizes: 0...maxBytes, modes: isSecret ? [0o600, 0o400] : nil, followsLinks: true)
        do throws(SecretFile.Defect) { return try SecretFile.read(path, rule) } catch {
            throw TLSFault(file: file, reason: "\(path) \(text(error, path))")
        }
    }

    private static func text(_ defect: SecretFile.Defect, _ path: String) -> String {
        switch defect {
        case .cannotBeOpened(let cause):
            "cannot be opened: \(cause); the user of the server must be able to read it"
        case .cannotBeExamined(let cause), .cannotBeRead(let cause): "cannot be read: \(cause)"
        case .isNoFile: "is not a file"
        case .mode(let mode) where mode & 0o044 != 0:
            "can be read by others: it must have mode 0600 (chmod 600 \(path))"
        case .mode(let mode): "has mode \(octal(mode)): it must have mode 0600 (chmod 600 \(path))"
        case .ofRoot(let mode):
            "belongs to root and has mode \(octal(mode)): then it must have mode 0440 and a group of the user the server runs as"
        case .otherOwner: "must belong to the user the server runs as"
        case .size: "is longer than \(maxBytes) bytes"
        }
    }

    /// Such as `0700`.
    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
