internal import Text

extension WebhookEndpoint.Format {
    /// Product whose sessions a vendor's format reports, and the events it has names for. `nil`: this server's own
    /// format, which reports everything.
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

    /// Whether it is a vendor's format.
    package var isOfVendor: Bool { scope != nil }

    /// The vendor's format for a product's sessions, or `nil`.
    package static func ofVendor(_ product: ProductName) -> Self? { allCases.first { $0.scope?.product == product } }

    /// Whether a key pair of the whole server signs (`WebhookKeyPair`), in place of the endpoint's keys.
    package var isSignedByServer: Bool { self == .prelude }

    /// Whether callbacks of a product's sessions have this format.
    package func fitsCallback(of product: ProductName) -> Bool {
        guard let vendor = Self.ofVendor(product) else { return scope == nil }
        return self == vendor
    }

    /// Whether the format reports the event.
    package func tells(of news: WebhookNews) -> Bool {
        guard let scope else { return true }
        return scope.types.contains(news.type) && news.text("product")?.isSame(as: scope.product.text) == true
            && (self != .otpless || news.isToldByOtpless)
    }

    /// Facts of the session that are added to its events for the vendor's format; empty for all other products.
    static func facts(of request: SessionRequest) -> [WebhookFact] {
        guard ofVendor(request.policy.product) == .otpless else { return [] }
        let channels = request.subject.mailbox == nil ? request.policy.channels : [.email]
        // A message may have a link beside its code.
        let checks = request.options.exchange == nil ? request.policy.checks : request.policy.checks.union(.link)
        return [
            WebhookFact("channels", .texts(channels.map(\.rawValue))),
            WebhookFact("checks", .texts(checks.names.map(\.rawValue))),
        ]
    }
}

extension WebhookNews {
    /// OTPLESS reports check events only for silent checks. It reports an expired session only if a silent
    /// check was the only planned one.
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
