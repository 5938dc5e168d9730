internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// One event in OTPLESS's format.
struct OtplessEvent {
    enum Kind: String {
        case delivery = "DLR"
        case verification = "AUTH"
        case silent = "SNA"
    }

    let type: Kind
    private(set) var data = JSONObject()
    private let news: WebhookNews
    private let session: CorrelationID
    private let target: Target?

    /// `nil`: OTPLESS has no event for it.
    /// - Parameters:
    ///   - keyed: makes the token of a success.
    ///   - numbers: gives the facts about the number of a silent check.
    init?(_ event: WebhookEvent, _ keyed: KeyedDigests, _ numbers: any NumberDirectory) {
        news = event.news
        guard WebhookEndpoint.Format.otpless.tells(of: news), let session = news.session else { return nil }
        self.session = session
        target = news.target
        if let status = Self.status(ofMessageIn: news) {
            type = .delivery
            deliver(status)
        } else {
            switch news.type {
            case .sessionCreated:
                type = .verification
                verify("INITIATED", by: planned, channels)
            case .messageChannelChanged:
                type = .verification
                verify("FALLBACK", by: ofMessages, channels)
                data.set("fromChannel", news.text("fromChannel").flatMap(Self.way))
                data.set("toChannel", news.text("toChannel").flatMap(Self.way))
            case .sessionSucceeded:
                type = .verification
                verify("SUCCESS", by: proven, proven == .silent ? [AuthType.silent.rawValue] : channels)
                data.set("token", OneTapToken.text(of: session, for: event.clientID, keyed))
            case .checkPassed:
                type = .silent
                describeEnd(numbers)
            case .checkFailed:
                type = .silent
                describeEnd(numbers, SilentFailure(reason: news.text("reason")))
            case .sessionExpired:
                type = .silent
                describeEnd(numbers, .expired)
            default: return nil
            }
        }
        if !news.metadata.isEmpty {
            data.set("metaData", JSONObject(news.metadata.entries.map { ($0.name, .string($0.value)) }))
        }
    }

    // MARK: The three kinds

    /// `nil`: the event is not about a message.
    private static func status(ofMessageIn news: WebhookNews) -> String? {
        switch news.type {
        case .messageSent: "SENT"
        case .messageDelivered: "DELIVERED"
        case .messageFailed, .messageUndelivered: "FAILED"
        case .linkTapped: "CLICKED"
        default: nil
        }
    }

    private mutating func deliver(_ status: String) {
        data.set("requestId", name)
        data.set("status", status)
        data.set("channel", news.text("channel").flatMap(Self.way))
        data.set("identity", target?.plain)
    }

    private mutating func verify(_ status: String, by method: AuthType, _ channels: [String]) {
        var details: JSONObject = ["requestId": .string(name), "method": .string(method.rawValue)]
        details.set("channel", channels)
        details.set("phoneNumber", target?.number?.nationalNumber)
        details.set("countryCode", target?.number?.countryCode)
        details.set("email", target?.email?.text)
        data.set("status", status)
        data.set("authenticationDetails", [target?.email == nil ? "phone" : "email": .object(details)] as JSONObject)
    }

    /// - Parameter failure: `nil`: the check has passed.
    private mutating func describeEnd(_ numbers: any NumberDirectory, _ failure: SilentFailure? = nil) {
        data.set("requestId", session.text)
        data.set("correlationId", news.text("clientRequestId"))
        data.set("status", failure == nil ? "SUCCESS" : "FAILED")
        data.set("phoneDetail", target?.number.map { PhoneDetail.reply.object(PhoneDetail($0, numbers)) })
        guard let failure else { return }
        let error: JSONObject = ["errorCode": .string(failure.rawValue), "errorMessage": .string(failure.message)]
        data.set("error", error)
    }

    // MARK: Words

    /// The request's name for its backend: the backend's own `orderId`, if it has one. For a silent proof the caller's
    /// own name is sent as `correlationId`.
    private var name: String {
        let own = mayBe(.mobileAuth) ? nil : news.text("clientRequestId")
        return own ?? session.text
    }

    /// OTPLESS's word for a channel, or for the silent check.
    private static func way(_ text: String) -> String? {
        text.isSame(as: CheckName.mobileAuth.rawValue)
            ? AuthType.silent.rawValue
            : OutgoingMessage.Channel.spelled(text).map { OtplessChannel($0).rawValue }
    }

    private func mayBe(_ check: CheckName) -> Bool {
        news.texts("checks").contains { $0.isSame(as: check.rawValue) }
    }

    /// The channels and checks that the request may use, in their order.
    private var channels: [String] {
        let messages = mayBe(.otp) || mayBe(.link) ? news.texts("channels").compactMap(Self.way) : []
        return (mayBe(.mobileAuth) ? [AuthType.silent.rawValue] : []) + messages
    }

    private var ofMessages: AuthType { mayBe(.link) ? mayBe(.otp) ? .codeAndLink : .link : .code }
    /// A silent check comes first.
    private var planned: AuthType { mayBe(.mobileAuth) ? .silent : ofMessages }
    private var proven: AuthType {
        let method = news.text("method")
        if method?.isSame(as: CheckName.mobileAuth.rawValue) == true { return .silent }
        return method?.isSame(as: CheckName.link.rawValue) == true ? .link : .code
    }
}

extension SilentFailure {
    private static let reasons: [(word: String, failure: SilentFailure)] = [
        ("mismatch", .otherNumber), ("not_opened", .expired), ("late", .timeout), ("client", .cancelled),
    ]

    /// - Parameter reason: of `check.failed`, which is less detailed than the session's timeline.
    fileprivate init(reason: String?) {
        self = Self.reasons.first { reason?.isSame(as: $0.word) == true }?.failure ?? .failed
    }
}
