internal import Possession
internal import StrictJSON
internal import Text

/// One event in OTPLESS's words.
struct OtplessEvent {
    enum Kind: String {
        case delivery = "DLR"
        case verification = "AUTH"
        case silent = "SNA"
    }

    /// How a request is proven.
    private enum Method: String {
        case code = "OTP"
        case link = "MAGICLINK"
        case codeOrLink = "OTP_LINK"
        case silent = "SILENT_AUTH"
    }

    let type: Kind
    private(set) var data = JSONObject()
    private let news: WebhookNews
    private let session: CorrelationID
    private let target: Target?

    /// `nil` where there is no word for it.
    init?(_ event: WebhookEvent, _ keyed: KeyedDigests) {
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
                verify("SUCCESS", by: proven, proven == .silent ? [Method.silent.rawValue] : channels)
                data.set("token", OneTapToken.text(of: session, for: event.clientID, keyed))
            case .checkPassed:
                type = .silent
                settle("SUCCESS")
            case .checkFailed:
                type = .silent
                settle("FAILED")
                data.set("error", Self.error(of: news.text("reason")))
            case .sessionExpired:
                type = .silent
                settle("FAILED")
                data.set("error", Self.error("SP40012", "the session has expired"))
            default: return nil
            }
        }
        if !news.metadata.isEmpty {
            data.set("metaData", JSONObject(news.metadata.entries.map { ($0.name, .string($0.value)) }))
        }
    }

    // MARK: The three kinds

    /// `nil`: the news are of no message.
    private static func status(ofMessageIn news: WebhookNews) -> String? {
        switch news.type {
        case .messageSent: "SENT"
        case .messageDelivered: "DELIVERED"
        case .messageFailed, .messageUndelivered: "FAILED"
        case .checkPassed: news.text("method")?.isSame(as: CheckName.link.rawValue) == true ? "CLICKED" : nil
        default: nil
        }
    }

    private mutating func deliver(_ status: String) {
        data.set("requestId", session.text)
        data.set("status", status)
        data.set("channel", news.text("channel").flatMap(Self.way))
        data.set("identity", target.map { $0.number?.digits ?? $0.text })
    }

    private mutating func verify(_ status: String, by method: Method, _ channels: [String]) {
        var details: JSONObject = ["requestId": .string(session.text), "method": .string(method.rawValue)]
        details.set("channel", channels)
        details.set("phoneNumber", target?.number?.nationalNumber)
        details.set("countryCode", target?.number?.countryCode)
        details.set("email", target?.email?.text)
        data.set("status", status)
        data.set("authenticationDetails", [target?.email == nil ? "phone" : "email": .object(details)] as JSONObject)
    }

    private mutating func settle(_ status: String) {
        data.set("requestId", session.text)
        data.set("correlationId", news.text("clientRequestId"))
        data.set("status", status)
        guard let number = target?.number else { return }
        var phone = JSONObject()
        phone.set("phoneNumber", number.nationalNumber)
        phone.set("countryCode", number.countryCode)
        data.set("phoneDetail", phone)
    }

    // MARK: Words

    /// Of a channel, or of the silent check.
    private static func way(_ text: String) -> String? {
        text.isSame(as: CheckName.mobileAuth.rawValue)
            ? Method.silent.rawValue
            : OutgoingMessage.Channel.spelled(text).map { OtplessChannel($0).rawValue }
    }

    private func mayBe(_ check: CheckName) -> Bool {
        news.texts("checks").contains { $0.isSame(as: check.rawValue) }
    }

    /// The ways that the request may take, in their order.
    private var channels: [String] {
        let messages = mayBe(.otp) || mayBe(.link) ? news.texts("channels").compactMap(Self.way) : []
        return (mayBe(.mobileAuth) ? [Method.silent.rawValue] : []) + messages
    }

    private var ofMessages: Method { mayBe(.link) ? mayBe(.otp) ? .codeOrLink : .link : .code }
    /// A silent check comes first.
    private var planned: Method { mayBe(.mobileAuth) ? .silent : ofMessages }
    private var proven: Method {
        let method = news.text("method")
        if method?.isSame(as: CheckName.mobileAuth.rawValue) == true { return .silent }
        return method?.isSame(as: CheckName.link.rawValue) == true ? .link : .code
    }

    /// - Parameter reason: of a silent check that has failed, by the engine's words.
    private static func error(of reason: String?) -> JSONObject {
        reason?.isSame(as: "mismatch") == true
            ? error("SP40011", "the number does not match the SIM card")
            : error("SP40003", "the silent check has failed")
    }

    private static func error(_ code: String, _ message: String) -> JSONObject {
        ["errorCode": .string(code), "errorMessage": .string(message)]
    }
}
