internal import Secrets

/// The bytes of a key that lives for one call: overwritten when the last reference is released (DAT-08).
///
/// `SecretBytes` allocates and locks its own pages, which is too expensive for keys that are derived by the dozen.
final class BriefSecret: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // Sendable because the bytes are written in `init` and `deinit` only.
    private(set) var bytes: [UInt8]

    /// Takes ownership of the bytes: the caller must keep no copy.
    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    deinit { bytes.wipe() }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
