internal import Text

/// All events that a tenant's system can receive.
package enum WebhookEventType: String, Sendable, CaseIterable {
    case sessionCreated = "session.created"
    case sessionRedeemed = "session.redeemed"
    case sessionSucceeded = "session.succeeded"
    case sessionFailed = "session.failed"
    case sessionExpired = "session.expired"
    case sessionCancelled = "session.cancelled"
    case checkStarted = "check.started"
    case checkFailed = "check.failed"
    /// A code, a link or the operator's answer was right.
    case checkPassed = "check.passed"
    /// The holder of a link opened it in their browser. Nothing is proven until the backend redeems the link's code.
    case linkTapped = "link.tapped"
    case messageSent = "message.sent"
    case messageFailed = "message.failed"
    case messageDelivered = "message.delivered"
    case messageUndelivered = "message.undelivered"
    /// The message was not delivered, so it is sent again by the next route.
    case messageFallback = "message.fallback"
    /// The message takes another channel than the one tried before.
    case messageChannelChanged = "message.channel_changed"
    case deviceKeyBound = "device_key.bound"
    case deviceKeyRevoked = "device_key.revoked"
    case deviceKeyRetired = "device_key.retired"
    case deviceKeyNumberMismatch = "device_key.number_mismatch"
    case activationCreated = "activation.created"
    case activationBlocked = "activation.blocked"
    case activationUnblocked = "activation.unblocked"
    case activationRemoved = "activation.removed"
    case identityEnrolled = "identity.enrolled"
    case identityChanged = "identity.changed"
    case identityDeleted = "identity.deleted"
    case prefillCompleted = "prefill.completed"
    case prefillRefused = "prefill.refused"
    /// A limit or the number's standing stops messages.
    case riskBlocked = "risk.blocked"
    /// It would stop messages if the guard were not set to `watch`.
    case riskWatched = "risk.watched"
    /// Messages that were stopped are sent again.
    case riskCleared = "risk.cleared"
    case budgetWarning = "budget.warning"
    case budgetExhausted = "budget.exhausted"
    /// Goes to the tenant's other endpoints, whatever they asked for.
    case endpointDisabled = "endpoint.disabled"
    /// Requested by a call; goes to one endpoint, whatever it asked for.
    case ping

    /// The part before the dot.
    var group: Substring.UTF8View { rawValue.utf8.prefix { $0 != UInt8(ascii: ".") } }

    /// Whether the event reports the outcome of a session.
    var endsSession: Bool {
        switch self {
        case .sessionSucceeded, .sessionFailed, .sessionExpired, .sessionCancelled: true
        default: false
        }
    }

    /// Goes only to endpoints that name the type or its group. `*` does not include it.
    var isOptIn: Bool { self == .checkStarted || self == .checkFailed || self == .checkPassed }

    /// Events that may be dropped when too many are pending for an endpoint. The outcome of a session is never dropped.
    package static let noisy: [WebhookEventType] = [
        .checkStarted, .checkFailed, .checkPassed, .messageSent, .messageFailed, .messageDelivered,
        .messageUndelivered, .messageFallback, .messageChannelChanged, .linkTapped,
    ]
}

/// Which events an endpoint asks for: names of types, groups such as `session.*`, or `*` for all events except those
/// that must be named (`check.*`).
package struct WebhookFilter: Sendable, Equatable {
    /// Maximum words for one endpoint.
    package static let mostWords = 32

    /// The words as given. They are stored, so that `session.*` includes types of later versions.
    package let words: [String]
    private let types: Set<WebhookEventType>
    /// The words include `*`.
    package let isForAll: Bool

    /// - Throws: the first word that is not a type, a group or `*`.
    package init(_ words: [String]) throws(WebhookDefect) {
        guard !words.isEmpty else { throw WebhookDefect("types", "is empty") }
        guard words.count <= Self.mostWords else {
            throw WebhookDefect("types", "has more than \(Self.mostWords) entries")
        }
        var types: Set<WebhookEventType> = []
        for word in words {
            let meant = Self.types(of: word)
            guard !meant.isEmpty else {
                throw WebhookDefect(
                    "types", "has an entry that is no event type, no group such as session.*, and not *")
            }
            types.formUnion(meant)
        }
        self.words = words
        self.types = types
        isForAll = words.contains { $0.isSame(as: "*") }
    }

    package func matches(_ type: WebhookEventType) -> Bool { types.contains(type) }

    private static func types(of word: String) -> [WebhookEventType] {
        if word.isSame(as: "*") { return asked.filter { !$0.isOptIn } }
        let bytes = Array(word.utf8)
        if bytes.count > 2, bytes.suffix(2).elementsEqual(".*".utf8) {
            return asked.filter { $0.group.elementsEqual(bytes.dropLast(2)) }
        }
        return asked.filter { $0.rawValue.isSame(as: word) }
    }

    /// All types except those that are sent without being asked for.
    private static let asked = WebhookEventType.allCases.filter { $0 != .ping && $0 != .endpointDisabled }
}

/// Why a request for an endpoint is refused: the field, and the end of a sentence about it. The value is not repeated.
package struct WebhookDefect: Error, Sendable, Equatable {
    package let field: String
    package let reason: String

    package init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }
}
