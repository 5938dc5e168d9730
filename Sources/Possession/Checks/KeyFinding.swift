/// Finding of a session about its device key, as the key was at that time.
package struct KeyFinding: Sendable, Equatable {
    package let boundAt: Timestamp
    /// Whether the backend's id of the person equals the one stored with the key.
    package let holderAgrees: Bool

    package init(boundAt: Timestamp, holderAgrees: Bool) {
        self.boundAt = boundAt
        self.holderAgrees = holderAgrees
    }
}
