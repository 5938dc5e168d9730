/// An app on a phone that holds keys which it agreed on with this server, of somebody who proved a number or an address.
///
///     active <--> blocked
///        \          /
///         --> removed        nothing leads out of it
///
/// A value without I/O or clock: its store reads it, applies a rule and stores it as one step (`ActivationStore.update`).
package struct DeviceActivation: Sendable, Equatable {
    /// Raw values stand in rows.
    package enum Status: String, Sendable, CaseIterable { case active, blocked, removed }

    /// Why it is not active. Raw values stand in rows, and webhooks tell them.
    package enum Reason: String, Sendable, CaseIterable {
        /// Too many signatures in a row did not match.
        case failedAttempts = "failed_attempts"
        case `operator`
        /// The backend of its API client.
        case client
        /// The phone itself, by a call that it signed.
        case phone
        /// It has not signed in its first day: the answer that gave the phone its keys was lost.
        case unused
        /// The database is that of a backup, or lost commits were accepted: signatures that were used since would match again.
        case restored
    }

    package struct Standing: Sendable, Equatable {
        package let status: Status
        /// `nil` while it is active.
        package let reason: Reason?
        package let since: Timestamp

        /// `nil` unless a reason stands where one belongs.
        package init?(_ status: Status, _ reason: Reason?, since: Timestamp) {
            guard (status == .active) == (reason == nil) else { return nil }
            (self.status, self.reason, self.since) = (status, reason, since)
        }

        fileprivate init(activeSince since: Timestamp) { (status, reason, self.since) = (.active, nil, since) }

        fileprivate init(_ status: Status, for reason: Reason, at now: Timestamp) {
            (self.status, self.reason, since) = (status, reason, now)
        }
    }

    /// Facts that the phone tells of itself, and that the server notes of it.
    package struct Details: Sendable, Equatable {
        /// As the person named it.
        package let name: String?
        /// As the app says it, such as `ios`.
        package let platform: String?
        /// Such as the model of the phone.
        package let device: String?
        /// In their order, such as `VERIFICATION_PENDING`.
        package var flags: [String]

        package init(name: String? = nil, platform: String? = nil, device: String? = nil, flags: [String] = []) {
            self.name = name
            self.platform = platform
            self.device = device
            self.flags = flags
        }
    }

    /// Signatures in a row that do not match until it is blocked (PowerAuth's default).
    package static let mostFailedAttempts = 5
    /// An activation that has not signed for so long since it was made is removed: it never will.
    package static let timeToFirstUse = Duration.seconds(24 * 3600)

    package let id: ActivationID
    package let clientID: ClientID
    /// Names the keys that the app was built with (`ApplicationKeys.applicationKey`); `nil`: it activated by a plain call.
    package let applicationKey: String?
    /// The number or address that was proven.
    package let target: Target
    /// The session that proved it.
    package let sessionID: CorrelationID
    package let createdAt: Timestamp
    package var details: Details
    package private(set) var secrets: ActivationSecrets
    package private(set) var standing: Standing
    /// Signatures in a row that did not match: 0 to `mostFailedAttempts`.
    package private(set) var failedAttempts: Int
    /// The last signature that matched; `nil`: none has.
    package private(set) var lastUsedAt: Timestamp?

    /// A new one, active at once.
    package init(
        id: ActivationID, clientID: ClientID, applicationKey: String?, target: Target, sessionID: CorrelationID,
        details: Details, secrets: ActivationSecrets, at now: Timestamp
    ) {
        self.init(
            id: id, clientID: clientID, applicationKey: applicationKey, target: target, sessionID: sessionID,
            createdAt: now, details: details, secrets: secrets, standing: Standing(activeSince: now),
            failedAttempts: 0, lastUsedAt: nil)
    }

    /// One as it is stored.
    package init(
        id: ActivationID, clientID: ClientID, applicationKey: String?, target: Target, sessionID: CorrelationID,
        createdAt: Timestamp, details: Details, secrets: ActivationSecrets, standing: Standing, failedAttempts: Int,
        lastUsedAt: Timestamp?
    ) {
        self.id = id
        self.clientID = clientID
        self.applicationKey = applicationKey
        self.target = target
        self.sessionID = sessionID
        self.createdAt = createdAt
        self.details = details
        self.secrets = secrets
        self.standing = standing
        self.failedAttempts = failedAttempts
        self.lastUsedAt = lastUsedAt
    }
}

/// The result of a signature.
package enum SignatureOutcome: Sendable, Equatable {
    case matched
    /// It is not the activation's. It counts, unless it was of possession only.
    case mismatched
    /// Only an active one verifies. Nothing is counted.
    case notActive
    /// Another call has changed the counter since this signature was checked: check it again. Nothing is counted.
    case outdated
}

// MARK: Rules

extension DeviceActivation {
    /// Takes what `DeviceProtocol.verify` found. The caller tells nobody before this is stored.
    ///
    /// - Parameters:
    ///   - match: `nil`: the signature is not the activation's.
    ///   - counter: `secrets.counter` as it was checked with.
    package mutating func take(
        _ match: SignatureMatch?, of factors: SignatureFactors, checkedWith counter: [UInt8], at now: Timestamp
    ) -> SignatureOutcome {
        guard standing.status == .active else { return .notActive }
        guard secrets.counter == counter else { return .outdated }
        let counts = factors != .possession
        guard let match else {
            if counts {
                failedAttempts += 1
                if failedAttempts >= Self.mostFailedAttempts { _ = block(for: .failedAttempts, at: now) }
            }
            return .mismatched
        }
        secrets = ActivationSecrets(keys: secrets.keys, counter: match.counter)
        lastUsedAt = now
        if counts { failedAttempts = 0 }
        return .matched
    }

    /// Blocks an active one. A blocked one keeps its reason.
    /// - Returns: `false`: it is removed.
    package mutating func block(for reason: Reason, at now: Timestamp) -> Bool {
        if standing.status == .active { standing = Standing(.blocked, for: reason, at: now) }
        return standing.status == .blocked
    }

    /// Makes a blocked one active, with all its attempts.
    /// - Returns: `false`: it is removed.
    package mutating func unblock(at now: Timestamp) -> Bool {
        if standing.status == .blocked {
            standing = Standing(activeSince: now)
            failedAttempts = 0
        }
        return standing.status == .active
    }

    /// Removes it for good. A removed one keeps its reason.
    package mutating func remove(for reason: Reason, at now: Timestamp) {
        if standing.status != .removed { standing = Standing(.removed, for: reason, at: now) }
    }

    /// Removes one whose time to sign for the first time is over.
    package mutating func removeIfUnused(at now: Timestamp) {
        guard lastUsedAt == nil, createdAt.adding(Self.timeToFirstUse) <= now else { return }
        remove(for: .unused, at: now)
    }

    /// As its phone is told.
    package var status: ActivationStatus {
        let state: ActivationStatus.State =
            switch standing.status {
            case .active: .active
            case .blocked: .blocked
            case .removed: .removed
            }
        return ActivationStatus(
            state: state, failedAttempts: UInt8(failedAttempts), maxFailedAttempts: UInt8(Self.mostFailedAttempts))
    }
}
