/// An app on a phone with keys that it agreed on with this server, after its user proved a number or an address.
///
///     active <--> blocked
///        \          /
///         --> removed        final
///
/// A value without I/O or clock: its store reads it, applies a rule and stores it as one step
/// (`ActivationStore.update`).
package struct DeviceActivation: Sendable, Equatable {
    /// Raw values are stored.
    package enum Status: String, Sendable, CaseIterable { case active, blocked, removed }

    /// Why it is not active. Raw values are stored and sent in webhooks.
    package enum Reason: String, Sendable, CaseIterable {
        /// Too many signatures in a row failed.
        case failedAttempts = "failed_attempts"
        case `operator`
        /// The backend of its API client.
        case client
        /// The phone itself, by a signed call.
        case phone
        /// It has not signed in its first day: the phone probably never got its keys.
        case unused
        /// The database was restored from a backup, or lost commits were accepted: signatures used since would be valid
        /// again.
        case restored
    }

    package struct Standing: Sendable, Equatable {
        package let status: Status
        /// `nil` while it is active.
        package let reason: Reason?
        package let since: Timestamp

        /// `nil` unless an active one has no reason and any other one has a reason.
        package init?(_ status: Status, _ reason: Reason?, since: Timestamp) {
            guard (status == .active) == (reason == nil) else { return nil }
            (self.status, self.reason, self.since) = (status, reason, since)
        }

        fileprivate init(activeSince since: Timestamp) { (status, reason, self.since) = (.active, nil, since) }

        fileprivate init(_ status: Status, for reason: Reason, at now: Timestamp) {
            (self.status, self.reason, since) = (status, reason, now)
        }
    }

    /// Facts that the phone reports about itself, and the server's notes about it.
    package struct Details: Sendable, Equatable {
        /// Named by the person.
        package let name: String?
        /// Reported by the app, such as `ios`.
        package let platform: String?
        /// Such as the model of the phone.
        package let device: String?
        /// In order, such as `VERIFICATION_PENDING`.
        package var flags: [String]

        package init(name: String? = nil, platform: String? = nil, device: String? = nil, flags: [String] = []) {
            self.name = name
            self.platform = platform
            self.device = device
            self.flags = flags
        }
    }

    /// Failed signatures in a row that block it (PowerAuth's default).
    package static let mostFailedAttempts = 5
    /// An activation without a signature in this time is removed: its phone will never sign.
    package static let timeToFirstUse = Duration.seconds(24 * 3600)

    package let id: ActivationID
    package let clientID: ClientID
    /// Identifies the keys that the app was built with (`ApplicationKeys.applicationKey`); `nil`: it activated by an
    /// unencrypted call.
    package let applicationKey: String?
    /// The number or address that was proven.
    package let target: Target
    /// The session that proved it.
    package let sessionID: CorrelationID
    package let createdAt: Timestamp
    package var details: Details
    package private(set) var secrets: ActivationSecrets
    package private(set) var standing: Standing
    /// Failed signatures in a row: 0 to `mostFailedAttempts`.
    package private(set) var failedAttempts: Int
    /// The last valid signature; `nil`: there was none.
    package private(set) var lastUsedAt: Timestamp?

    /// A new activation, active at once.
    package init(
        id: ActivationID, clientID: ClientID, applicationKey: String?, target: Target, sessionID: CorrelationID,
        details: Details, secrets: ActivationSecrets, at now: Timestamp
    ) {
        self.init(
            id: id, clientID: clientID, applicationKey: applicationKey, target: target, sessionID: sessionID,
            createdAt: now, details: details, secrets: secrets, standing: Standing(activeSince: now),
            failedAttempts: 0, lastUsedAt: nil)
    }

    /// A stored activation.
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
    /// The signature does not belong to the activation. It counts as a failure, unless its only factor is possession.
    case mismatched
    /// Only an active one accepts signatures. Nothing is counted.
    case notActive
    /// Another call has changed the counter since the signature was checked: check it again. Nothing is counted.
    case outdated
}

// MARK: Rules

extension DeviceActivation {
    /// Records the result of `DeviceProtocol.verify`. It must be stored before the caller reports the result.
    ///
    /// - Parameters:
    ///   - match: `nil`: the signature does not belong to the activation.
    ///   - counter: the `secrets.counter` with which it was checked.
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

    /// Removes it permanently. A removed one keeps its reason.
    package mutating func remove(for reason: Reason, at now: Timestamp) {
        if standing.status != .removed { standing = Standing(.removed, for: reason, at: now) }
    }

    /// Removes it if it has not signed in its first day.
    package mutating func removeIfUnused(at now: Timestamp) {
        guard lastUsedAt == nil, createdAt.adding(Self.timeToFirstUse) <= now else { return }
        remove(for: .unused, at: now)
    }

    /// The status for its phone.
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
