/// Requests of one tenant to another, and the consents of the other: the rules of consent, as a value.
///
///     asked -> waiting --agreed--> standing --either side ends it--> gone or withdrawn
///                 \--taken back--> withdrawn --asked again--> again --agreed--> standing
///
/// A request is one set of scopes. Asking for other scopes makes another request beside it and never changes one that the
/// other side may have looked at. What the asker takes back is remembered until the other side decides: taking back and
/// asking anew must not put other scopes in the place of those that were shown.
package struct LinkConsent: Sendable, Equatable {
    package enum State: String, Sendable { case waiting, again, standing, withdrawn }

    package struct Request: Sendable, Equatable {
        /// Grows with each request of the two.
        package let number: Int
        package let scopes: [String]
        package internal(set) var state: State
        package let requestedAt: Timestamp
        /// Set while it stands.
        package internal(set) var acceptedAt: Timestamp?

        package init(
            number: Int, scopes: [String], state: State, requestedAt: Timestamp, acceptedAt: Timestamp? = nil
        ) {
            self.number = number
            self.scopes = scopes
            self.state = state
            self.requestedAt = requestedAt
            self.acceptedAt = acceptedAt
        }

        package var isWaiting: Bool { state == .waiting || state == .again }

        fileprivate func has(_ scopes: [String]) -> Bool {
            func sorted(_ scopes: [String]) -> [[UInt8]] {
                scopes.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
            }
            return sorted(self.scopes) == sorted(scopes)
        }
    }

    package enum AskOutcome: Sendable, Equatable {
        case asked
        /// A link stands, with other scopes.
        case alreadyLinked
        /// The other side has so many requests to decide on already.
        case tooMany
    }

    package enum AcceptOutcome: Sendable, Equatable {
        case accepted
        /// There is no such request.
        case unknown
        /// Which request is meant cannot be told without its scopes.
        case scopesNeeded
    }

    /// Requests of one tenant to another, those that were taken back included.
    package static let maxRequests = 5

    /// In the order of their numbers.
    package private(set) var requests: [Request]

    package init(_ requests: [Request] = []) {
        self.requests = requests
    }

    /// Whether either side would see a link or a request.
    package var isSeen: Bool { requests.contains { $0.state != .withdrawn } }

    /// Asks for these scopes. Asking twice for the same changes nothing.
    package mutating func ask(_ scopes: [String], at now: Timestamp) -> AskOutcome {
        let same = requests.firstIndex { $0.has(scopes) }
        if let same, requests[same].state != .withdrawn { return .asked }
        if requests.contains(where: { $0.state == .standing }) { return .alreadyLinked }
        if let same {
            requests[same].state = .again
            return .asked
        }
        guard requests.count < Self.maxRequests else { return .tooMany }
        let number = (requests.last?.number ?? 0) + 1
        requests.append(Request(number: number, scopes: scopes, state: .waiting, requestedAt: now))
        return .asked
    }

    /// The other side agrees.
    /// - Parameter scopes: what it agrees to. `nil`: it has not said, and then it is the first request, unless one was
    ///   taken back since the last decision: nobody knows then which one was shown. It never widens a standing link.
    package mutating func accept(_ scopes: [String]?, at now: Timestamp) -> AcceptOutcome {
        let chosen: Int
        if let scopes {
            guard let index = requests.firstIndex(where: { $0.has(scopes) && $0.state != .withdrawn }) else {
                return .unknown
            }
            chosen = index
        } else {
            if requests.contains(where: { $0.state == .standing }) { return .accepted }
            guard let index = requests.firstIndex(where: \.isWaiting) else { return .unknown }
            let isClear = requests.count == 1 || requests.allSatisfy { $0.state == .waiting }
            guard isClear else { return .scopesNeeded }
            chosen = index
        }
        if requests[chosen].state == .standing { return .accepted }
        requests[chosen].state = .standing
        requests[chosen].acceptedAt = now
        let number = requests[chosen].number
        requests.removeAll { $0.number != number && !$0.isWaiting }
        return .accepted
    }

    /// The asker ends the link or takes its requests back; `false`: there was none.
    package mutating func withdraw() -> Bool {
        guard isSeen else { return false }
        for index in requests.indices {
            requests[index].state = .withdrawn
            requests[index].acceptedAt = nil
        }
        return true
    }

    /// The other side ends the link or declines the requests; `false`: there was none. What was taken back is forgotten.
    package mutating func decline() -> Bool {
        guard isSeen else { return false }
        requests = []
        return true
    }
}
