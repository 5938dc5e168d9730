internal import Glibc

/// Reads whole files that hold a secret, and those that stand beside them.
///
///     let rule = SecretFile.Rule(sizes: 32...32, modes: [0o600])
///     var bytes = try SecretFile.read(path, rule)
///     defer { bytes.wipe() }
package enum SecretFile {
    /// What a file has to be.
    package struct Rule: Sendable {
        /// In bytes.
        let sizes: ClosedRange<Int>
        let modes: [UInt32]?
        let followsLinks: Bool

        /// - Parameter modes: such as `0o600`, and the file belongs to the user the server runs as; `nil`: it is no
        ///   secret, whoever may read it.
        package init(sizes: ClosedRange<Int>, modes: [UInt32]? = nil, followsLinks: Bool = false) {
            self.sizes = sizes
            self.modes = modes
            self.followsLinks = followsLinks
        }
    }

    /// Why a file is not taken.
    package enum Defect: Error, Sendable, Equatable {
        /// With the cause in the words of the system.
        case cannotBeOpened(String), cannotBeExamined(String), cannotBeRead(String)
        /// A directory or a device, for instance.
        case isNoFile
        case mode(UInt32)
        case otherOwner
        /// In bytes.
        case size(Int)
    }

    /// The whole of a file. The caller wipes what is secret; after a failure nothing of it is left in memory.
    package static func read(_ path: String, _ rule: Rule) throws(Defect) -> [UInt8] {
        let links = rule.followsLinks ? 0 : O_NOFOLLOW
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
        guard file >= 0 else { throw .cannotBeOpened(cause) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .cannotBeExamined(cause) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .isNoFile }
        if let modes = rule.modes {
            let mode = status.st_mode & 0o7777
            guard modes.contains(mode) else { throw .mode(mode) }
            guard status.st_uid == geteuid() else { throw .otherOwner }
        }
        let size = Int(status.st_size)
        guard rule.sizes.contains(size) else { throw .size(size) }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = Glibc.read(file, &bytes, size)
        guard count == size else {
            let reason = count < 0 ? cause : "it is shorter than it was"
            bytes.wipe()
            throw .cannotBeRead(reason)
        }
        return bytes
    }

    private static var cause: String { String(cString: strerror(errno)) }
}
