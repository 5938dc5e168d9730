internal import Text

extension WebhookEndpoint.Format {
    /// Whose sessions a vendor's format tells of, and which events it has words for. `nil`: a format of this server's own,
    /// which tells of everything.
    private var scope: (product: ProductName, types: [WebhookEventType])? {
        switch self {
        case .standard, .cloudevents: nil
        case .prelude: (Self.preludeProduct, Self.verificationTypes)
        }
    }

    private static let preludeProduct = ProductName(known: "prelude")
    private static let verificationTypes: [WebhookEventType] = [
        .sessionCreated, .messageSent, .messageFailed, .messageDelivered, .messageUndelivered,
    ]

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
    }
}
