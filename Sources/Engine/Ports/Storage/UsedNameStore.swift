package import Possession

/// Remembers what may be used once, for all servers of a store. A server also has a memory of its own, which bounds
/// what one caller can add. Ask it first; if this store fails, give the name back to it.
///
///     let name = UsedName(.assertion, jti, of: client, issuedAt: issuedAt, until: end, digest: sha256)
///     guard try await store.isFirstUse(of: name, at: now) else { throw .used }
package protocol UsedNameStore: Sendable {
    /// Notes a use. The name must be authentic.
    ///
    /// - Parameter now: by the clock that `issuedAt` is compared with.
    /// - Returns: `false`: it was used before, or may have been, because it was issued before the store began to
    ///   remember. A store of one server leaves the decision to the server's own memory.
    func isFirstUse(of name: UsedName, at now: Timestamp) async throws(StorageFault) -> Bool
}

/// A name that may be used once.
package struct UsedName: Sendable {
    /// Names of two kinds differ.
    package enum Kind: UInt8, Sendable {
        case envelope = 1
        case assertion = 2
    }

    /// 32 bytes.
    package let digest: [UInt8]
    /// As the caller says.
    package let issuedAt: Timestamp
    /// Servers refuse it from then on because of its age.
    package let until: Timestamp

    /// - Parameters:
    ///   - owner: names of two owners differ.
    ///   - digest: SHA-256.
    package init(
        _ kind: Kind, _ name: [UInt8], of owner: [UInt8], issuedAt: Timestamp, until: Timestamp,
        digest: ([UInt8]) -> [UInt8]
    ) {
        // The length says where the owner ends.
        let length = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: owner.count >> $0) }
        self.digest = digest([kind.rawValue] + length + owner + name)
        self.issuedAt = issuedAt
        self.until = until
    }
}
