/// Finding of a run about its device key: as the key was then, whatever becomes of it later.
package struct KeyFinding: Sendable, Equatable {
    package let boundAt: Timestamp
    /// Whether the backend's id of the person is the one kept with the key.
    package let holderAgrees: Bool

    package init(boundAt: Timestamp, holderAgrees: Bool) {
        self.boundAt = boundAt
        self.holderAgrees = holderAgrees
    }
}
