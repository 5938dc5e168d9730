/// Requests of one tenant to another, and the other's consents: the rules of consent, as a value.
///
///     asked -> waiting --accepted--> standing --either side ends it--> gone or withdrawn
///                 \--withdrawn--> withdrawn --requested again--> again --accepted--> standing
///
/// A request is one set of scopes. A request for other scopes is added beside it and never changes a request that the
/// other side may have read. A withdrawn request is remembered until the other side decides: otherwise the requester
/// could withdraw and request again to replace the scopes that the other side has read.
package struct LinkConsent: Sendable, Equatable {
    package enum State: String, Sendable { case waiting, again, standing, withdrawn }

    package struct Request: Sendable, Equatable {
        /// Grows with each request between the two.
        package let number: Int
        package let scopes: [String]
        package internal(set) var state: State
        package let requestedAt: Timestamp
        /// Set while the link is accepted.
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
        /// There is an accepted link with other scopes.
        case alreadyLinked
        /// The other side already has the maximum of undecided requests.
        case tooMany
    }

    package enum AcceptOutcome: Sendable, Equatable {
        case accepted
        /// There is no such request.
        case unknown
        /// Without scopes it is unclear which request is meant.
        case scopesNeeded
    }

    /// Maximum requests of one tenant to another, including withdrawn ones.
    package static let maxRequests = 5

    /// In the order of their numbers.
    package private(set) var requests: [Request]

    package init(_ requests: [Request] = []) {
        self.requests = requests
    }

    /// Whether there is a link or request that the two sides can see.
    package var isSeen: Bool { requests.contains { $0.state != .withdrawn } }

    /// Requests these scopes. Requesting the same scopes twice changes nothing.
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

    /// The other side accepts.
    /// - Parameter scopes: the scopes that it accepts. `nil`: the first request; refused if a request was withdrawn
    ///   since the last decision, because it is unclear which one the other side has read. It never widens an accepted
    ///   link.
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

    /// The requester ends the link or withdraws its requests; `false`: there was none.
    package mutating func withdraw() -> Bool {
        guard isSeen else { return false }
        for index in requests.indices {
            requests[index].state = .withdrawn
            requests[index].acceptedAt = nil
        }
        return true
    }

    /// The other side ends the link or declines the requests; `false`: there was none. Withdrawn requests are deleted.
    package mutating func decline() -> Bool {
        guard isSeen else { return false }
        requests = []
        return true
    }
}
