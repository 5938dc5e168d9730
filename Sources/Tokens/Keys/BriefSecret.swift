internal import Secrets

/// The bytes of a key that lives for one call: overwritten when the last reference goes (DAT-08).
///
/// `SecretBytes` takes pages of its own and locks them, which is too much for keys that are derived by the dozen.
final class BriefSecret: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // Sendable because the bytes are written in `init` and `deinit` only.
    private(set) var bytes: [UInt8]

    /// Takes over the bytes: who made them keeps no copy.
    init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

    deinit { bytes.wipe() }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
