/// Names one Mobile Auth attempt in URLs: 16 random bytes. What opens it is its ticket, not its name.
package struct AttemptID: Sendable, Hashable {
    package let bytes: [UInt8]

    /// `nil` unless 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }
}
