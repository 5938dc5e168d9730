/// The identifier an app's backend authenticates with: `client_id` of `POST /token`.
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let text: String

    /// `nil` unless 1 to 64 characters of `[A-Za-z0-9._-]`.
    package init?(_ text: String) {
        let fits = (1...64).contains(text.utf8.count)
        let plain = text.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard fits, plain else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// The customer whose backend calls us, with its own credentials and rules ("API client" towards operators).
package struct Tenant: Sendable, Equatable {
    package let id: ClientID
    package var rules: TenantRules
    /// Keyed digests of the valid secrets: at most two, so that a secret can be replaced without interruption (TOK-12).
    package var secretDigests: [SecretDigest]
    /// When the second secret ends; `nil`: it does not end, or there is none.
    package var otherSecretUntil: Timestamp?
    package let createdAt: Timestamp
    /// Set when the tenant is revoked: it may no longer call.
    package var revokedAt: Timestamp?

    package init(
        id: ClientID, rules: TenantRules, secretDigests: [SecretDigest], otherSecretUntil: Timestamp? = nil,
        createdAt: Timestamp, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.rules = rules
        self.secretDigests = secretDigests
        self.otherSecretUntil = otherSecretUntil
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }

    /// The digests of the secrets that are valid at `now`, the newest first.
    package func validSecretDigests(at now: Timestamp) -> ArraySlice<SecretDigest> {
        guard let otherSecretUntil, now >= otherSecretUntil else { return secretDigests[...] }
        return secretDigests.prefix(1)
    }

    /// Adds a new secret. The previous one stays valid until `end`, and an older one ends now. If `end` is `nil`, both
    /// end now.
    package mutating func replaceSecret(with digest: SecretDigest, keepingOldUntil end: Timestamp?) {
        let old = end == nil ? [] : secretDigests.prefix(1)
        secretDigests = [digest] + old
        otherSecretUntil = old.isEmpty ? nil : end
    }
}

/// Rights and settings of a tenant. Every member is set when the tenant is added.
package struct TenantRules: Sendable, Equatable {
    /// Whether the person may change the number during a session (client protocol 4.6, phone entries).
    package var allowPhoneChange: Bool
    /// Whether Mobile Auth is planned if a call does not say.
    package var mobileAuth: Bool
    /// Hosts a `finalTargetUrl` may name: exact, or a whole-label suffix when written `*.example.com`.
    package var finalTargetHosts: [String]
    /// Any https host, and http on loopback, for `finalTargetUrl` (tenants of developers).
    package var anyFinalTargetHost: Bool
    /// Name by which people learn who sends the request; `nil`: the client id.
    package var displayName: String?
    /// The host of the page for typing a code: the origin-bound last line of messages (client protocol 3.6). `nil`:
    /// this server's own.
    package var messageHost: String?
    /// The language of messages if the person's language is unknown; `nil`: the catalog's default.
    package var locale: LanguageTag?
    /// Whether an instant link asks for the two digits on the waiting page.
    package var linkMatchCode: Bool
    /// Whether an instant link must be approved from the address of the waiting browser, if the backend gave one.
    package var linkNeedsSameAddress: Bool
    /// Countries that messages may go to: calling codes such as `44`, and ISO regions such as `US` and `CA`, which share
    /// the code 1. Empty: see `NumberDirectory.mayMessage` (client protocol 4.14, contract section 9).
    package var callingCodes: [String]
    /// Pages to which a web session's Mobile Auth may return, compared as a whole. Such a page gets the fingerprint in
    /// its fragment, which a browser keeps over redirects: a page that redirects to another site reveals it.
    package var mobileAuthReturnURLs: [String]
    /// Web origins that may call the client surface.
    package var allowedOrigins: [String]
    /// Android app hashes whose last line a message may carry (client protocol 4.8).
    package var appHashes: [String]
    /// Keys with which the tenant signs to authenticate (`ClientKeyVerifier`).
    package var publicKeys: [PublicKey]
    /// Third parties that statements may name, as in `aud`. Empty: any except those in `ReservedAudiences`.
    package var statementAudiences: [String]
    /// Minimum digits of codes for its people, below `Limits.leastCodeDigits`; `nil`: `Limits.leastCodeDigits` applies.
    package var leastCodeDigits: Int?
    package static let leastCodeDigitsBounds = 4...6
    /// Channels of messages to its people, the preferred one first, if the call names none and the surface allows it.
    /// If empty, apps may not start sessions without a request of a backend (contract section 10).
    package var smartChannels: [OutgoingMessage.Channel]
    /// How long a channel has before the next one gets the message, in whole seconds; `nil`:
    /// `defaultSecondsPerChannel`.
    package var secondsPerChannel: Int?
    package static let secondsPerChannelBounds = 5...600
    package static let defaultSecondsPerChannel = 20
    /// Limits of this tenant.
    package var limits: TenantLimits
    /// Maximum keys. A call with a wrong signature is checked with each of them.
    package static let mostPublicKeys = 4

    package init(
        allowPhoneChange: Bool = false, mobileAuth: Bool = false, finalTargetHosts: [String] = [],
        anyFinalTargetHost: Bool = false, displayName: String? = nil, messageHost: String? = nil,
        locale: LanguageTag? = nil,
        linkMatchCode: Bool = false, linkNeedsSameAddress: Bool = false, callingCodes: [String] = [],
        mobileAuthReturnURLs: [String] = [], allowedOrigins: [String] = [], appHashes: [String] = [],
        publicKeys: [PublicKey] = [], statementAudiences: [String] = [], leastCodeDigits: Int? = nil,
        smartChannels: [OutgoingMessage.Channel] = [], secondsPerChannel: Int? = nil,
        limits: TenantLimits = TenantLimits()
    ) {
        self.allowPhoneChange = allowPhoneChange
        self.mobileAuth = mobileAuth
        self.finalTargetHosts = finalTargetHosts
        self.anyFinalTargetHost = anyFinalTargetHost
        self.displayName = displayName
        self.messageHost = messageHost
        self.locale = locale
        self.linkMatchCode = linkMatchCode
        self.linkNeedsSameAddress = linkNeedsSameAddress
        self.callingCodes = callingCodes
        self.mobileAuthReturnURLs = mobileAuthReturnURLs
        self.allowedOrigins = allowedOrigins
        self.appHashes = appHashes
        self.publicKeys = publicKeys
        self.statementAudiences = statementAudiences
        self.leastCodeDigits = leastCodeDigits
        self.smartChannels = smartChannels
        self.secondsPerChannel = secondsPerChannel
        self.limits = limits
    }

    /// Minimum digits of a code for its people; `nil`: no minimum beyond that of a code.
    package func leastCodeDigits(by limits: Limits) -> Int? {
        limits.leastCodeDigits.map { min($0, leastCodeDigits ?? $0) }
    }

    /// Whether a calling code opens the country of `number`. No calling code is the prefix of another (ITU-T E.164).
    package func opens(_ number: PhoneNumber) -> Bool {
        callingCodes.contains { number.e164.utf8.dropFirst().starts(with: $0.utf8) }
    }

    /// Whether any country is opened by its region. Only then the numbering plan is needed.
    package var opensRegions: Bool { callingCodes.contains { $0.utf8.first.map { $0 >= 65 } ?? false } }

    package func opens(region: String?) -> Bool {
        guard let region else { return false }
        return callingCodes.contains { $0.utf8.elementsEqual(region.utf8) }
    }
}
