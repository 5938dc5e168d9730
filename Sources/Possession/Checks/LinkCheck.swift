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
        /// The session ended in another way.
        case closed
    }

    package enum Failure: String, Sendable, CaseIterable {
        case denied, addressMismatch, phoneMismatch, wrongMatchCode
    }

    package private(set) var state: State
    /// Digest of the newest link; older links are superseded.
    package private(set) var digest: LinkDigest?
    package private(set) var sentAt: Timestamp?
    /// How long the waiting page should wait.
    package private(set) var waitUntil: Timestamp?
    /// Two digits on the waiting page that the person types on the phone, if the tenant requires them.
    package private(set) var matchCode: String?
    /// Description of the waiting browser.
    package private(set) var browser: String?
    /// Whether the approval came from the address of the waiting browser that the backend gave. Set by an approval if
    /// both addresses are known.
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

    /// Records a link that is being sent, and supersedes an older one.
    /// - Parameter end: the session's end, which no link outlives.
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

    /// Records the link of messages with a code. The session waits for the code, so this check waits for nothing.
    mutating func carry(_ link: LinkDigest, at now: Timestamp) {
        digest = link
        sentAt = now
    }

    mutating func compareAddresses(_ agree: Bool?) { addressesAgree = agree }

    mutating func pass() { state = .passed }

    mutating func fail(_ failure: Failure) { state = .failed(failure) }

    /// When the newest link expired, if that is not recorded yet; else `nil`.
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
