/// Where a tenant's system is told of events, what it asks for, and how it goes there.
package struct WebhookEndpoint: Sendable, Equatable, CustomStringConvertible {
    package enum Format: String, Sendable, CaseIterable {
        /// `{"type":...,"timestamp":...,"data":{...}}` (Standard Webhooks).
        case standard
        /// A structured CloudEvent 1.0.
        case cloudevents
        /// As Prelude tells of verifications, in the words of that vendor's surface.
        case prelude
        /// As OTPLESS tells of messages, verifications and silent checks.
        case otpless
    }

    package enum Ordering: String, Sendable, CaseIterable {
        /// Each event as soon as it can be.
        case none
        /// Events of one session one after the other.
        case session
    }

    /// Contents that bodies hold only where they were asked for.
    package enum Inclusion: String, Sendable, CaseIterable {
        /// The whole number or e-mail address.
        case phoneNumber
        /// On success, a statement for a third party, whose audience is the endpoint's origin.
        case statement
        /// Events of the whole server, and of limits that other tenants' messages count for as well. The operator's to give:
        /// a tenant must not learn what others do.
        case server

        /// Contents that a tenant may ask for by itself.
        package static let ofTenants: [Inclusion] = [.phoneNumber, .statement]

        /// `nil` where a word is none of `known`.
        package static func read(_ words: [String], among known: [Inclusion] = allCases) -> Set<Inclusion>? {
            var found: Set<Inclusion> = []
            for word in words {
                guard let inclusion = known.first(where: { word.utf8.elementsEqual($0.rawValue.utf8) }) else {
                    return nil
                }
                found.insert(inclusion)
            }
            return found
        }
    }

    /// Why it gets nothing. Only a person's call ends it.
    package enum Stop: String, Sendable, CaseIterable {
        /// Somebody wished it.
        case byHand = "by_hand"
        /// It took nothing for days.
        case failing
        /// It answered 410.
        case gone
    }

    /// Keys that sign: the secret of HMAC-SHA-256, and the seed of an Ed25519 pair where the endpoint has one.
    package struct Keys: Sendable, Equatable, CustomStringConvertible {
        package let secret: [UInt8]
        package let seed: [UInt8]?

        package init(secret: [UInt8], seed: [UInt8]?) {
            self.secret = secret
            self.seed = seed
        }

        package var description: String { "<redacted>" }
    }

    package let id: WebhookEndpointID
    package let clientID: ClientID
    package let url: String
    package let filter: WebhookFilter
    package let includes: Set<Inclusion>
    package let format: Format
    package let ordering: Ordering
    /// Whether its receiver had to agree, and requests name who sends.
    package let hasHandshake: Bool
    package let createdAt: Timestamp
    package private(set) var keys: Keys
    /// Those before, which sign as well until then.
    package private(set) var otherKeys: Keys?
    package private(set) var otherKeysUntil: Timestamp?
    package private(set) var stop: Stop?
    package private(set) var stoppedAt: Timestamp?
    /// Since when nothing has been taken, and how many attempts have failed since.
    package private(set) var failingSince: Timestamp?
    package private(set) var failures: Int

    package init(
        id: WebhookEndpointID, clientID: ClientID, url: String, filter: WebhookFilter, includes: Set<Inclusion> = [],
        format: Format = .standard, ordering: Ordering = .none, hasHandshake: Bool = false, keys: Keys,
        otherKeys: Keys? = nil,
        otherKeysUntil: Timestamp? = nil, createdAt: Timestamp, stop: Stop? = nil, stoppedAt: Timestamp? = nil,
        failingSince: Timestamp? = nil, failures: Int = 0
    ) {
        self.id = id
        self.clientID = clientID
        self.url = url
        self.filter = filter
        self.includes = includes
        self.format = format
        self.ordering = ordering
        self.hasHandshake = hasHandshake
        self.keys = keys
        self.otherKeys = otherKeys
        self.otherKeysUntil = otherKeysUntil
        self.createdAt = createdAt
        self.stop = stop
        self.stoppedAt = stoppedAt
        self.failingSince = failingSince
        self.failures = failures
    }

    /// Without URL and keys: the former may hold a token.
    package var description: String { "<webhook endpoint \(id.name)>" }

    package var isActive: Bool { stop == nil }

    /// `https://shop.example`, with the port if it is another than the scheme's: the URL without what may hold a token.
    package var origin: String? { WebhookURLRule.origin(of: url) }

    /// Keys that sign an attempt at `now`, the newest first.
    package func signingKeys(at now: Timestamp) -> [Keys] {
        guard let otherKeys, let otherKeysUntil, now < otherKeysUntil else { return [keys] }
        return [keys, otherKeys]
    }

    /// Until when the keys before sign as well; `nil`: they do not.
    package func oldKeysSign(at now: Timestamp) -> Timestamp? {
        otherKeysUntil.flatMap { now < $0 ? $0 : nil }
    }

    /// Replaces the keys. Nothing happens while two pairs sign, unless it is forced: the oldest of three would end at once.
    mutating func replaceKeys(with fresh: Keys, at now: Timestamp, isForced: Bool = false) {
        guard isForced || oldKeysSign(at: now) == nil else { return }
        otherKeys = keys
        otherKeysUntil = now.adding(WebhookRules.keyOverlap)
        keys = fresh
    }

    /// Keys that sign nothing any more are not kept.
    private mutating func dropOldKeys(at now: Timestamp) {
        guard oldKeysSign(at: now) == nil else { return }
        otherKeys = nil
        otherKeysUntil = nil
    }

    mutating func disable(_ reason: Stop, at now: Timestamp) {
        dropOldKeys(at: now)
        guard stop == nil else { return }
        stop = reason
        stoppedAt = now
    }

    mutating func enable(at now: Timestamp) {
        dropOldKeys(at: now)
        stop = nil
        stoppedAt = nil
        failingSince = nil
        failures = 0
    }

    func isUnchanged(by change: (inout WebhookEndpoint) -> Void) -> Bool {
        var other = self
        change(&other)
        return other == self
    }

    /// How the endpoint stands after an attempt.
    /// - Returns: whether it is told nothing more from now on.
    package mutating func note(_ attempt: WebhookAttempt, at now: Timestamp) -> Bool {
        guard isActive else { return false }
        dropOldKeys(at: now)
        if attempt.isTaken {
            failingSince = nil
            failures = 0
            return false
        }
        let since = failingSince ?? now
        failingSince = since
        failures = min(failures + 1, 1_000_000)
        if attempt.isGone {
            disable(.gone, at: now)
        } else if failures >= WebhookRules.failuresToDisable, now >= since.adding(WebhookRules.timeToDisable) {
            disable(.failing, at: now)
        }
        return !isActive
    }
}

extension Set<WebhookEndpoint.Inclusion> {
    /// In a fixed order; `nil`: none.
    package var words: [String]? {
        isEmpty ? nil : WebhookEndpoint.Inclusion.allCases.filter(contains).map(\.rawValue)
    }
}
