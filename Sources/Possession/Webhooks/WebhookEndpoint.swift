/// URL at which a tenant's system receives events, the event types it asked for, and their format.
package struct WebhookEndpoint: Sendable, Equatable, CustomStringConvertible {
    package enum Format: String, Sendable, CaseIterable {
        /// `{"type":...,"timestamp":...,"data":{...}}` (Standard Webhooks).
        case standard
        /// A structured CloudEvent 1.0.
        case cloudevents
        /// Prelude's format for its verifications.
        case prelude
        /// OTPLESS's format for messages, verifications and silent checks.
        case otpless
    }

    package enum Ordering: String, Sendable, CaseIterable {
        /// Each event is sent as soon as possible.
        case none
        /// The events of one session are sent in order, one at a time.
        case session
    }

    /// Data that event bodies contain only if the endpoint asked for it.
    package enum Inclusion: String, Sendable, CaseIterable {
        /// The whole number or e-mail address.
        case phoneNumber
        /// On success, a signed statement for a third party. Its audience is the endpoint's origin.
        case statement
        /// Events of the whole server, and of limits that count other tenants' messages too. Only the operator may set
        /// it: a tenant must not learn what others do.
        case server

        /// Data that a tenant may ask for itself.
        package static let ofTenants: [Inclusion] = [.phoneNumber, .statement]

        /// `nil` if a word is not in `known`.
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

    /// Why the endpoint gets no events. Only a call that enables it ends this.
    package enum Stop: String, Sendable, CaseIterable {
        /// The tenant or the operator disabled it.
        case byHand = "by_hand"
        /// All attempts failed for days.
        case failing
        /// It answered 410.
        case gone
    }

    /// Signing keys: the secret of HMAC-SHA-256, and the seed of an Ed25519 pair if the endpoint has one.
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
    /// Whether the receiver had to agree. Requests then name the sender.
    package let hasHandshake: Bool
    package let createdAt: Timestamp
    package private(set) var keys: Keys
    /// The previous keys, which also sign until `otherKeysUntil`.
    package private(set) var otherKeys: Keys?
    package private(set) var otherKeysUntil: Timestamp?
    package private(set) var stop: Stop?
    package private(set) var stoppedAt: Timestamp?
    /// Since when all attempts have failed, and how many.
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

    /// Without URL and keys. The URL may contain a token.
    package var description: String { "<webhook endpoint \(id.name)>" }

    package var isActive: Bool { stop == nil }

    /// `https://shop.example`, with a non-default port if there is one: the URL without the parts that may contain a
    /// token.
    package var origin: String? { WebhookURLRule.origin(of: url) }

    /// Keys that sign an attempt at `now`, the newest first.
    package func signingKeys(at now: Timestamp) -> [Keys] {
        guard let otherKeys, let otherKeysUntil, now < otherKeysUntil else { return [keys] }
        return [keys, otherKeys]
    }

    /// Until when the previous keys also sign; `nil`: they do not.
    package func oldKeysSign(at now: Timestamp) -> Timestamp? {
        otherKeysUntil.flatMap { now < $0 ? $0 : nil }
    }

    /// Replaces the keys. While two pairs sign, nothing changes unless it is forced, because the oldest of three would
    /// end at once.
    package mutating func replaceKeys(with fresh: Keys, at now: Timestamp, isForced: Bool = false) {
        guard isForced || oldKeysSign(at: now) == nil else { return }
        otherKeys = keys
        otherKeysUntil = now.adding(WebhookRules.keyOverlap)
        keys = fresh
    }

    /// Deletes the previous keys once they no longer sign.
    private mutating func dropOldKeys(at now: Timestamp) {
        guard oldKeysSign(at: now) == nil else { return }
        otherKeys = nil
        otherKeysUntil = nil
    }

    package mutating func disable(_ reason: Stop, at now: Timestamp) {
        dropOldKeys(at: now)
        guard stop == nil else { return }
        stop = reason
        stoppedAt = now
    }

    package mutating func enable(at now: Timestamp) {
        dropOldKeys(at: now)
        stop = nil
        stoppedAt = nil
        failingSince = nil
        failures = 0
    }

    package func isUnchanged(by change: (inout WebhookEndpoint) -> Void) -> Bool {
        var other = self
        change(&other)
        return other == self
    }

    /// Records an attempt and updates the endpoint's state.
    /// - Returns: whether this attempt has disabled the endpoint.
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
    /// In a fixed order; `nil`: empty.
    package var words: [String]? {
        isEmpty ? nil : WebhookEndpoint.Inclusion.allCases.filter(contains).map(\.rawValue)
    }
}
