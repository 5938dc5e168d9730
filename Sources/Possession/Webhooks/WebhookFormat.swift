internal import Text

extension WebhookEndpoint.Format {
    /// Product whose sessions a vendor's format tells of, and the events it has words for. `nil`: a format of this server's own,
    /// which tells of everything.
    private var scope: (product: ProductName, types: [WebhookEventType])? {
        switch self {
        case .standard, .cloudevents: nil
        case .prelude: (Self.preludeProduct, Self.verificationTypes)
        case .otpless: (Self.otplessProduct, Self.requestTypes)
        }
    }

    private static let preludeProduct = ProductName(known: "prelude")
    private static let verificationTypes: [WebhookEventType] = [
        .sessionCreated, .messageSent, .messageFailed, .messageDelivered, .messageUndelivered,
    ]

    private static let otplessProduct = ProductName(known: "otpless")
    private static let requestTypes: [WebhookEventType] =
        verificationTypes + [
            .sessionSucceeded, .sessionExpired, .messageChannelChanged, .linkTapped, .checkPassed, .checkFailed,
        ]

    /// Whether it is a vendor's.
    var isOfVendor: Bool { scope != nil }

    /// The vendor's format that tells of a product's sessions; `nil`: there is none.
    static func ofVendor(_ product: ProductName) -> Self? { allCases.first { $0.scope?.product == product } }

    /// Whether a key pair of the whole server signs (`WebhookKeyPair`), in place of the endpoint's keys.
    package var isSignedByServer: Bool { self == .prelude }

    /// Whether callbacks of a product's sessions have this format.
    func fitsCallback(of product: ProductName) -> Bool {
        guard let vendor = Self.ofVendor(product) else { return scope == nil }
        return self == vendor
    }

    /// Whether an endpoint of this format is told of the news at all.
    package func tells(of news: WebhookNews) -> Bool {
        guard let scope else { return true }
        return scope.types.contains(news.type) && news.text("product")?.isSame(as: scope.product.text) == true
            && (self != .otpless || news.isToldByOtpless)
    }

    /// Facts of a session that the vendor's format tells beside its events; none of a product that no format tells so much of.
    static func facts(of request: SessionRequest) -> [WebhookFact] {
        guard ofVendor(request.policy.product) == .otpless else { return [] }
        let channels = request.subject.mailbox == nil ? request.policy.channels : [.email]
        // A link may stand beside a code.
        let checks = request.options.exchange == nil ? request.policy.checks : request.policy.checks.union(.link)
        return [
            WebhookFact("channels", .texts(channels.map(\.rawValue))),
            WebhookFact("checks", .texts(checks.names.map(\.rawValue))),
        ]
    }
}

extension WebhookNews {
    /// OTPLESS tells the outcome of silent checks only. It tells of a session that is over unproven only where nothing but a silent
    /// check could have proven it.
    fileprivate var isToldByOtpless: Bool {
        switch type {
        case .checkPassed, .checkFailed: text("method")?.isSame(as: CheckName.mobileAuth.rawValue) == true
        case .sessionExpired: texts("checks") == [CheckName.mobileAuth.rawValue]
        default: true
        }
    }
}

extension Policy.Checks {
    fileprivate var names: [CheckName] {
        let all: [(Policy.Checks, CheckName)] = [
            (.deviceKey, .device), (.mobileAuth, .mobileAuth), (.code, .otp), (.link, .link),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
