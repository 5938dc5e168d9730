internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Adds a webhook endpoint. Its secret is shown only once.
struct AddWebhook: Order, Equatable {
    let client: ClientID
    let wish: WebhookManager.Order

    private static func make(
        _ client: ClientID, _ url: String, _ types: [String], _ key: String?,
        _ includes: Set<WebhookEndpoint.Inclusion>?,
        _ format: WebhookEndpoint.Format, _ ordering: WebhookEndpoint.Ordering, _ handshake: Bool?
    ) -> AddWebhook {
        var wish = WebhookManager.Order()
        (wish.url, wish.types, wish.hasKeyPair, wish.includes) = (url, types, key != nil, includes ?? [])
        (wish.format, wish.ordering, wish.hasHandshake) = (format, ordering, handshake ?? false)
        return AddWebhook(client: client, wish: wish)
    }

    private var key: String? { wish.hasKeyPair ? "ed25519" : nil }
    private var includes: Set<WebhookEndpoint.Inclusion>? { wish.includes.isEmpty ? nil : wish.includes }
    private var handshake: Bool? { wish.hasHandshake ? true : nil }

    static let call = OrderCall(
        .post, "/control/webhooks/add", status: 201, make, .required("client", .client, \.client),
        .optional("url", .text(), \.wish.url, or: ""), .optional("types", .types, \.wish.types, or: []),
        .optional("key", .keyKind, \.key), .optional("include", .includes, \.includes),
        .optional("format", .choice, \.wish.format, or: .standard),
        .optional("ordering", .choice, \.wish.ordering, or: .none), .optional("handshake", .flag, \.handshake))
    static let reply = Reply<WebhookManager.Shown>.webhook
    var act: OperatorAct? { .webhook("add", of: client, at: nil) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> WebhookManager.Shown {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.add(wish, for: client)
        }
    }
}

extension OrderValue<String> {
    fileprivate static var keyKind: OrderValue { .text { $0.utf8.elementsEqual("ed25519".utf8) } }
}

extension OrderValue<[String]> {
    /// The manager checks them.
    fileprivate static var types: OrderValue {
        OrderValue(read: { $0.array?.compactMap(\.string) }, write: { .array($0.map { .string($0) }) })
    }
}

extension OrderValue<Set<WebhookEndpoint.Inclusion>> {
    fileprivate static var includes: OrderValue {
        OrderValue(
            read: { value in
                let words = value.array?.compactMap(\.string)
                guard let words, words.count == value.array?.count else { return nil }
                return WebhookEndpoint.Inclusion.read(words)
            }, write: { .array(($0.words ?? []).map { .string($0) }) })
    }
}
