/// The keyset of an installation as one master key opens it.
package struct StoredKeyset: Sendable, Equatable {
    /// 8 bytes that name the master key.
    package let masterID: [UInt8]
    /// From 1; the newest master key has the highest.
    package let number: Int
    /// When the master key was added.
    package let createdAt: Timestamp
    package let sealed: [UInt8]

    package init(masterID: [UInt8], number: Int, createdAt: Timestamp, sealed: [UInt8]) {
        self.masterID = masterID
        self.number = number
        self.createdAt = createdAt
        self.sealed = sealed
    }
}

/// Keeps the keyset over restarts (DAT-03).
package protocol KeysetStore: Sendable {
    /// The newest last; none before the first start of a build that has keysets.
    func keysets() async throws(StorageFault) -> [StoredKeyset]
    /// Puts others in the place of those that are stored. Returns when that is durable, and no file holds what went.
    ///
    /// - Throws: `.failed` unless `old` is what is stored; nothing has changed then.
    func replaceKeysets(_ old: [StoredKeyset], with new: [StoredKeyset]) async throws(StorageFault)
}
