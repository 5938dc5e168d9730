/// The standing of an activation, as its phone sees it.
package struct ActivationStatus: Sendable, Equatable {
    /// Raw values are those of the protocol.
    package enum State: UInt8, Sendable, CaseIterable {
        case created = 1
        case pendingCommit = 2
        case active = 3
        case blocked = 4
        case removed = 5
    }

    package let state: State
    /// Failed signatures, and how many block the activation.
    package let failedAttempts: UInt8
    package let maxFailedAttempts: UInt8

    package init(state: State, failedAttempts: UInt8, maxFailedAttempts: UInt8) {
        self.state = state
        self.failedAttempts = failedAttempts
        self.maxFailedAttempts = maxFailedAttempts
    }
}

/// The standing of an activation, encrypted for its phone.
package struct StatusBlob: Sendable, Equatable {
    /// 32 bytes.
    package let encrypted: [UInt8]
    /// 16 bytes.
    package let nonce: [UInt8]

    package init(encrypted: [UInt8], nonce: [UInt8]) {
        self.encrypted = encrypted
        self.nonce = nonce
    }
}
