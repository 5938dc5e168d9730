package import Possession

/// The keyset of an installation, encrypted with one master key.
package struct StoredKeyset: Sendable, Equatable {
    /// 8 bytes that identify the master key.
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

/// Stores the keyset across restarts (DAT-03).
package protocol KeysetStore: Sendable {
    /// The newest last. Empty before the first start of a version that has keysets.
    func keysets() async throws(StorageFault) -> [StoredKeyset]
    /// Replaces the stored keysets. Returns when that is durable and no file contains the old ones.
    ///
    /// - Throws: `.failed` unless `old` is stored; then nothing has changed.
    func replaceKeysets(_ old: [StoredKeyset], with new: [StoredKeyset]) async throws(StorageFault)
}
