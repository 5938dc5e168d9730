/// A code that a link gave to the browser that opened it. The session's backend redeems it once.
package struct ExchangeCode: Sendable, Equatable {
    /// Counted from the opening of the link.
    package static let lifetime = Duration.seconds(60)
    /// Random bytes in a code.
    package static let size = 32

    package let digest: ExchangeDigest
    package let expiresAt: Timestamp

    package init(digest: ExchangeDigest, expiresAt: Timestamp) {
        self.digest = digest
        self.expiresAt = expiresAt
    }
}
