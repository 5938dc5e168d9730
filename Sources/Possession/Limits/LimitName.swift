/// Every limit that covers more than one session or call, by its name in the log and in the metrics (ABU-12).
package enum LimitName: String, Sendable, CaseIterable {
    /// Calls a second of one API client.
    case tenantRate = "tenant_rate"
    /// Calls of one API client in a minute that must be written to the audit log.
    case auditedCalls = "audited_calls"
    /// Calls a second of one client address that carry no API client's credentials.
    case callsPerAddress = "calls_per_address"
    case failedTokenCalls = "failed_token_calls"
    /// Sessions that an anonymous caller starts, by address, IPv6 /64 and /48.
    case startsPerAddress = "starts_per_address"
    case startsPerNetwork = "starts_per_network"
    /// Sessions that one network starts by the same identification, whether or not it belongs to a known person.
    case startsPerPerson = "starts_per_person"
    case sendsPerNumber = "sends_per_number"
    case sendsPerAddress = "sends_per_address"
    case sendsPerNetwork = "sends_per_network"
    /// Numbers of one prefix to which a network has requested messages and which have not answered.
    case sendsPerNetworkInPrefix = "sends_per_network_in_prefix"
    /// Too few messages to a country were answered.
    case sendsPerCountry = "sends_per_country"
    /// Cost of messages in 24 hours: in all, of an API client, to a country.
    case budget
    case budgetPerTenant = "budget_per_client"
    case budgetPerCountry = "budget_per_country"
    /// An operator has closed the prefix, or too few messages to it were answered.
    case prefixClosed = "prefix_closed"
    case wrongCodes = "wrong_codes"
    case refusedLinks = "refused_links"
    case failedDeviceProofs = "failed_device_proofs"
    /// Wrong birth dates and SSNs, for a number and for a device key.
    case failedClaimsPerNumber = "failed_claims_per_number"
    case failedClaimsPerDeviceKey = "failed_claims_per_device_key"
    /// The check stopped after too many failures in a row.
    case failuresInARow = "failures_in_a_row"
    /// Questions of an API client about the SIM of one number.
    case questionsPerNumber = "questions_per_number"
    /// Valid proofs that the client of one session has used.
    case proofsPerSession = "proofs_per_session"
    /// A limit that an API client has set on its own calls.
    case quota = "quota_of_client"
    /// Reads of one session.
    case polls = "polls"
    /// Event streams and long polls of one client address.
    case waitsPerAddress = "waits_per_address"

    /// The limit's name in a response. Limits that several people share have the same name: the exact one would reveal
    /// what others did with numbers nearby (OTP-12).
    package var publicName: String {
        switch self {
        case .tenantRate: "requests of this client"
        case .auditedCalls: "changes by this client"
        case .callsPerAddress: "calls from this address"
        case .failedTokenCalls: "failed token calls"
        case .startsPerAddress, .startsPerNetwork: "sessions from this address"
        case .startsPerPerson: "sessions of this person"
        case .sendsPerNumber: "messages to this number"
        case .sendsPerNetworkInPrefix, .prefixClosed, .sendsPerCountry: "messages to numbers like this one"
        case .budget, .budgetPerTenant: "messages of this client"
        case .sendsPerAddress, .sendsPerNetwork: "messages from this address"
        case .budgetPerCountry: "messages to this country"
        case .wrongCodes, .refusedLinks, .failedDeviceProofs, .failuresInARow: "failed checks"
        case .failedClaimsPerNumber, .failedClaimsPerDeviceKey: "failed challenges"
        case .questionsPerNumber: "questions about this number"
        case .proofsPerSession: "calls of this session"
        case .quota: "a rate limit that this client has set"
        case .polls: "reads of this session"
        case .waitsPerAddress: "streams and long polls from this address"
        }
    }
}

/// A call that a limit refused, and when the caller may try again.
package struct LimitHit: Error, Sendable, Equatable {
    package let limit: LimitName
    /// Whole seconds, at least 1. After this time the calls counted so far no longer refuse the caller. There are two
    /// exceptions: limits that wait for answers (`sends_per_address`, `sends_per_network`), and budgets that other
    /// callers use up (`MessageAccount.delay`). For those it only says when to ask again.
    package let retryAfterSeconds: Int

    package init(_ limit: LimitName, retryAfterSeconds: Int) {
        self.limit = limit
        self.retryAfterSeconds = max(1, retryAfterSeconds)
    }

    init(_ limit: LimitName, until end: Timestamp, at now: Timestamp) {
        self.init(limit, retryAfterSeconds: Int((end.milliseconds - now.milliseconds + 999) / 1000))
    }

    /// Message for people: which limit refused, and what to do.
    package var message: String {
        "too many requests (limit: \(limit.publicName)); try again after the time in Retry-After"
    }
}
