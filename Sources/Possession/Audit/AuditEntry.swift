/// One entry of the audit log: who did what, when, from where, and the result (OPS-04).
///
/// It contains no secret, no code and no personal data: a number is stored as a keyed digest.
package struct AuditEntry: Sendable {
    /// The actor.
    package enum Actor: String, Sendable {
        /// A person who runs commands as the server's user.
        case `operator`
        /// The backend of an API client.
        case client
        /// The server itself.
        case server
        /// A caller who has not authenticated.
        case anonymous
    }

    package enum Result: String, Sendable {
        case done, refused, failed
    }

    package let at: Timestamp
    package let event: AuditEvent
    package let actor: Actor
    package var result: Result
    /// The API client that acts or is affected.
    package let client: ClientID?
    /// Source address of the actor's call; `nil` for the operator and the server.
    package let address: String?
    package let requestID: String?
    /// The number or address in question, stored as a keyed digest.
    package let target: Target?
    /// IDs and counts, by name.
    package let detail: [(name: String, value: String)]

    package init(
        _ event: AuditEvent, by actor: Actor, at: Timestamp, result: Result = .done, client: ClientID? = nil,
        address: String? = nil, requestID: String? = nil, about target: Target? = nil,
        detail: [(name: String, value: String)] = []
    ) {
        self.at = at
        self.event = event
        self.actor = actor
        self.result = result
        self.client = client
        self.address = address
        self.requestID = requestID
        self.target = target
        self.detail = detail
    }

    package func with(_ result: Result) -> AuditEntry {
        var other = self
        other.result = result
        return other
    }
}

/// Event of an entry. The words are in stored lines: never rename one.
package enum AuditEvent: String, Sendable, CaseIterable {
    // Commands of the operator.
    case clientAdded = "client_added"
    case clientUpdated = "client_updated"
    case clientSecretRotated = "client_secret_rotated"
    case hookSecretShown = "hook_secret_shown"
    case clientRevoked = "client_revoked"
    case apiKeyAdded = "api_key_added"
    case apiKeyRevoked = "api_key_revoked"
    case applicationKeysAdded = "application_keys_added"
    case applicationKeysRotated = "application_keys_rotated"
    case applicationKeysExported = "application_keys_exported"
    case signingKeysRotated = "signing_keys_rotated"
    case masterKeyRotated = "master_key_rotated"
    case masterKeyAdded = "master_key_added"
    case sealingKeyRotated = "sealing_key_rotated"
    case peopleImported = "people_imported"
    case numberErased = "number_erased"
    case numberUnlocked = "number_unlocked"
    case prefixOpened = "prefix_opened"
    case prefixClosedByHand = "prefix_closed_by_hand"
    case spendingReset = "spending_reset"
    case testNumberAdded = "test_number_added"
    case testNumberRemoved = "test_number_removed"
    case deviceBlocked = "device_blocked"
    case deviceUnblocked = "device_unblocked"
    case deviceRemoved = "device_removed"
    case webhookAdministered = "webhook_administered"
    /// A backend changed its own data: endpoints, identities, devices, domain links.
    case clientCall = "client_call"
    /// A backend has asked about the SIM of a number.
    case simSwapAsked = "sim_swap_asked"

    /// An encrypted copy was made of the database.
    case backupMade = "backup_made"
    /// The database was restored from a backup.
    case restored

    // Actions of the server.
    case serverStarted = "server_started"
    case signingKeysRetired = "signing_keys_retired"
    /// A master key is no longer used to decrypt anything.
    case masterKeyEnded = "master_key_ended"
    /// A sealing key was removed, because no data needs it.
    case sealingKeyEnded = "sealing_key_ended"
    case loginFailed = "login_failed"
    case checkStopped = "check_stopped"
    /// Too many signatures failed.
    case activationBlocked = "activation_blocked"
    case prefixClosed = "prefix_closed"
}
