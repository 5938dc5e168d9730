internal import Text

/// Events that a tenant's system can be told of: the catalogue.
package enum WebhookEventType: String, Sendable, CaseIterable {
    case sessionCreated = "session.created"
    case sessionRedeemed = "session.redeemed"
    case sessionSucceeded = "session.succeeded"
    case sessionFailed = "session.failed"
    case sessionExpired = "session.expired"
    case sessionCancelled = "session.cancelled"
    case checkStarted = "check.started"
    case checkFailed = "check.failed"
    /// A code, a link or the operator's word was right.
    case checkPassed = "check.passed"
    /// The holder of a link went on in their browser. Nothing is proven until the backend redeems what it gave.
    case linkTapped = "link.tapped"
    case messageSent = "message.sent"
    case messageFailed = "message.failed"
    case messageDelivered = "message.delivered"
    case messageUndelivered = "message.undelivered"
    /// Not delivered, and so sent once more by the next route.
    case messageFallback = "message.fallback"
    /// It goes another way than the one that was tried before.
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
    /// It would, were the guard not set to watch.
    case riskWatched = "risk.watched"
    /// Messages that were stopped go on.
    case riskCleared = "risk.cleared"
    case budgetWarning = "budget.warning"
    case budgetExhausted = "budget.exhausted"
    /// To the tenant's other endpoints, whatever they ask for.
    case endpointDisabled = "endpoint.disabled"
    /// By hand, to one endpoint, whatever it asks for.
    case ping

    /// The part before the dot.
    var group: Substring.UTF8View { rawValue.utf8.prefix { $0 != UInt8(ascii: ".") } }

    /// Says what a session has come to.
    var endsSession: Bool {
        switch self {
        case .sessionSucceeded, .sessionFailed, .sessionExpired, .sessionCancelled: true
        default: false
        }
    }

    /// Told only to an endpoint that names it or its group: `*` leaves it out.
    var isOptIn: Bool { self == .checkStarted || self == .checkFailed || self == .checkPassed }

    /// May be dropped when too many events wait for an endpoint. What a session came to never is.
    package static let noisy: [WebhookEventType] = [
        .checkStarted, .checkFailed, .checkPassed, .messageSent, .messageFailed, .messageDelivered,
        .messageUndelivered, .messageFallback, .messageChannelChanged, .linkTapped,
    ]
}

/// Which events an endpoint asks for: names of types, groups such as `session.*`, or `*` for all but those that must be
/// named (`check.*`).
package struct WebhookFilter: Sendable, Equatable {
    /// Words that one endpoint may have.
    package static let mostWords = 32

    /// As they were given. Kept, so that `session.*` has the types of a later version too.
    package let words: [String]
    private let types: Set<WebhookEventType>
    /// Names all.
    package let isForAll: Bool

    /// - Throws: the first word that names nothing.
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

    /// Those that nobody has to ask for aside.
    private static let asked = WebhookEventType.allCases.filter { $0 != .ping && $0 != .endpointDisabled }
}

/// Defect of a wish for an endpoint: the field, and the end of a sentence about it. The value is not repeated.
package struct WebhookDefect: Error, Sendable, Equatable {
    package let field: String
    package let reason: String

    package init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }
}
