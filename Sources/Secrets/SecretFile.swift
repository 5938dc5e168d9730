internal import Glibc

/// Reads whole files with secrets, and files that belong to them, such as certificates.
///
///     let rule = SecretFile.Rule(sizes: 32...32, modes: [0o600])
///     var bytes = try SecretFile.read(path, rule)
///     defer { bytes.wipe() }
package enum SecretFile {
    /// The rule for a file.
    package struct Rule: Sendable {
        /// In bytes.
        let sizes: ClosedRange<Int>
        let modes: [UInt32]?
        let followsLinks: Bool

        /// - Parameter modes: accepted modes, such as `0o600`, of a file that belongs to the user of the server. A file
        ///   of root is also accepted with mode 0440 or 0640 if its group is one of the server's, as Kubernetes and
        ///   OpenShift mount a secret. `nil`: the file is not secret; mode and owner are not checked.
        package init(sizes: ClosedRange<Int>, modes: [UInt32]? = nil, followsLinks: Bool = false) {
            self.sizes = sizes
            self.modes = modes
            self.followsLinks = followsLinks
        }
    }

    /// Why a file is refused.
    package enum Defect: Error, Sendable, Equatable {
        /// With the system's text for the cause.
        case cannotBeOpened(String), cannotBeExamined(String), cannotBeRead(String)
        /// Such as a directory or a device.
        case isNoFile
        case mode(UInt32)
        case otherOwner
        /// It belongs to root and has this mode, but must have mode 0440 or 0640 and a group of the server's.
        case ofRoot(UInt32)
        /// In bytes.
        case size(Int)
    }

    /// Reads a whole file. The caller wipes a secret; after a failure, no part of it is left in memory.
    package static func read(_ path: String, _ rule: Rule) throws(Defect) -> [UInt8] {
        // Only root can create a link that belongs to root. Links of a mounted secret lead to its current files.
        let links = rule.followsLinks || isLinkOfRoot(path) ? 0 : O_NOFOLLOW
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | links)
        guard file >= 0 else { throw .cannotBeOpened(cause) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .cannotBeExamined(cause) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .isNoFile }
        if let modes = rule.modes {
            let file = Owned(mode: status.st_mode & 0o7777, user: status.st_uid, group: status.st_gid)
            if let defect = file.defect(for: geteuid(), groups, modes: modes) { throw defect }
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

    /// A file's mode and owners.
    package struct Owned: Sendable {
        let mode: UInt32
        let user: UInt32
        let group: UInt32

        /// Why it is not a valid secret of a process with this user and these groups.
        package func defect(for process: UInt32, _ groups: [UInt32], modes: [UInt32]) -> Defect? {
            if user == 0, process != 0 {
                let isForGroup = mode == 0o440 || mode == 0o640
                return isForGroup && groups.contains(group) ? nil : .ofRoot(mode)
            }
            guard modes.contains(mode) else { return .mode(mode) }
            return user == process ? nil : .otherOwner
        }
    }

    /// The groups of this process.
    private static var groups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return [getegid()] + groups.prefix(Int(max(0, count)))
    }

    private static func isLinkOfRoot(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK && status.st_uid == 0 && geteuid() != 0
    }

    private static var cause: String { String(cString: strerror(errno)) }
}
