/// The instant-link check of a session: the newest link, and what its holder answered (client protocol 4.9).
///
///     idle --sent--> waiting --approved, checks hold--> passed
///                    ^   |  \--denied, or a check of the approval fails--> failed
///                    |   +--late--> expired
///                    +-------------sent again
package struct LinkCheck: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case idle
        case waiting(expiresAt: Timestamp)
        case expired
        case passed
        case failed(Failure)
        /// The session ended otherwise.
        case closed
    }

    package enum Failure: String, Sendable, CaseIterable {
        case denied, addressMismatch, phoneMismatch, wrongMatchCode
    }

    package private(set) var state: State
    /// Digest of the newest link; older links are superseded.
    package private(set) var digest: LinkDigest?
    package private(set) var sentAt: Timestamp?
    /// Until when the waiting page should wait.
    package private(set) var waitUntil: Timestamp?
    /// Two digits that the waiting page shows and the person types on the phone, where the tenant wants it.
    package private(set) var matchCode: String?
    /// The browser that waits, in words.
    package private(set) var browser: String?
    /// Whether the approval came from the address that the backend gave of the waiting browser. Set by an approval, where
    /// both are known.
    package private(set) var addressesAgree: Bool?

    package init(
        state: State = .idle, digest: LinkDigest? = nil, sentAt: Timestamp? = nil, waitUntil: Timestamp? = nil,
        matchCode: String? = nil, browser: String? = nil, addressesAgree: Bool? = nil
    ) {
        self.state = state
        self.digest = digest
        self.sentAt = sentAt
        self.waitUntil = waitUntil
        self.matchCode = matchCode
        self.browser = browser
        self.addressesAgree = addressesAgree
    }

    /// Takes note of a link on its way; an older one is superseded.
    /// - Parameter end: of the session: no link outlives it.
    mutating func sent(
        _ link: Session.IssuedLink, browser: String?, at now: Timestamp, policy: Policy.Link, until end: Timestamp
    ) {
        state = .waiting(expiresAt: min(end, now.adding(.seconds(policy.lifetimeSeconds))))
        digest = link.digest
        sentAt = now
        waitUntil = min(end, now.adding(.seconds(policy.waitSeconds)))
        matchCode = link.matchCode
        self.browser = browser ?? self.browser
    }

    /// Takes note of the link of messages whose code is awaited: the check itself has nothing to wait for.
    mutating func carry(_ link: LinkDigest, at now: Timestamp) {
        digest = link
        sentAt = now
    }

    mutating func compareAddresses(_ agree: Bool?) { addressesAgree = agree }

    mutating func pass() { state = .passed }

    mutating func fail(_ failure: Failure) { state = .failed(failure) }

    /// When the newest link became late, if it has and nobody took note yet.
    func lateSince(_ now: Timestamp) -> Timestamp? {
        guard case .waiting(let expiresAt) = state, now >= expiresAt else { return nil }
        return expiresAt
    }

    mutating func expire() { state = .expired }

    mutating func close() {
        if case .waiting = state { state = .closed }
    }

    package var expiresAt: Timestamp? {
        guard case .waiting(let expiresAt) = state else { return nil }
        return expiresAt
    }
}
