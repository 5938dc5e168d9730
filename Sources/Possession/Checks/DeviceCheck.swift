/// The device-key check of a session: one challenge at a time, answered once (client protocol 4.10).
///
///     absent --challenge--> challenged --known key, number agrees--> recognized
///                            |   |   \--known key, other number----> mismatch
///                            |   \--new key, or one to move--------> pending --possession--> bound, see Session
///                            +--bad proof, retired key: next challenge; none left--> absent
package struct DeviceCheck: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        /// No key takes part: not requested, none there, or skipped.
        case absent
        case challenged(Challenge)
        /// The client requested a message instead. If the message is not sent, the challenge opens again.
        case skipped(Challenge)
        /// The key is proven and waits for a number.
        case pending(PendingKey)
        case recognized(DeviceID)
        case mismatch(DeviceID)
    }

    /// 32 random bytes. One proof may answer them, whether it is good or bad.
    package struct Challenge: Sendable, Equatable {
        package let bytes: [UInt8]
        package let expiresAt: Timestamp

        package init(bytes: [UInt8], expiresAt: Timestamp) {
            self.bytes = bytes
            self.expiresAt = expiresAt
        }
    }

    package struct PendingKey: Sendable, Equatable {
        package let thumbprint: Thumbprint
        package let publicKey: PublicKey

        package init(thumbprint: Thumbprint, publicKey: PublicKey) {
            self.thumbprint = thumbprint
            self.publicKey = publicKey
        }
    }

    /// Why the client must use a new key.
    package enum Retired: String, Sendable { case revoked, inactive }

    package var state: State
    package var challengesLeft: Int
    /// Set when the client has shown a retired key.
    package var retired: Retired?

    package init(state: State = .absent, challengesLeft: Int, retired: Retired? = nil) {
        self.state = state
        self.challengesLeft = challengesLeft
        self.retired = retired
    }

    /// Issues the next challenge. `false`: none is left, so no key takes part.
    package mutating func challenge(_ bytes: [UInt8], at now: Timestamp, lifetime: Duration) -> Bool {
        guard challengesLeft > 0 else {
            state = .absent
            return false
        }
        challengesLeft -= 1
        state = .challenged(Challenge(bytes: bytes, expiresAt: now.adding(lifetime)))
        return true
    }

    /// Skips an open challenge.
    mutating func skip() {
        if case .challenged(let challenge) = state { state = .skipped(challenge) }
    }

    /// Opens a skipped challenge again.
    mutating func reopen() {
        if case .skipped(let challenge) = state { state = .challenged(challenge) }
    }

    /// Whether a proof over `bytes` answers the open challenge in time.
    package func accepts(_ bytes: [UInt8], at now: Timestamp) -> Bool {
        guard case .challenged(let challenge) = state else { return false }
        return challenge.bytes == bytes && now < challenge.expiresAt
    }

    /// Whether a proven key waits for a number.
    package var isPending: Bool { if case .pending = state { true } else { false } }
}
