/// Identifies a Mobile Auth attempt in URLs: 16 random bytes. Its ticket opens it, not its id.
package struct AttemptID: Sendable, Hashable {
    package let bytes: [UInt8]

    /// `nil` unless 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }
}
