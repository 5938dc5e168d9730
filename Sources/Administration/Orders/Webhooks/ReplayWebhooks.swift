internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Sends events again, under the same ids.
struct ReplayWebhooks: Order, Equatable {
    let replay: WebhookReplay
    var client: ClientID?
    var endpoint: WebhookEndpointID?

    static let call = OrderCall(
        .post, "/control/webhooks/replay", Self.init, .replay, .optional("client", .client, \.client),
        .optional("endpoint", .endpoint, \.endpoint))
    static let reply = Reply<Int> { ReplyMember.always("deliveries", .count) { $0 } }
    var act: OperatorAct? { .webhook("replay", of: client, at: endpoint) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Int {
        try await administrator.onWebhooks { (webhooks) throws(WebhookManager.Refusal) in
            try await webhooks.replay(replay, to: endpoint, of: client)
        }
    }
}

extension OrderMember<ReplayWebhooks, WebhookReplay> {
    /// One event, or all that failed or was dropped since a time.
    fileprivate static var replay: OrderMember {
        OrderMember { (fields) throws(Administrator.Refusal) in
            if let event = try fields.take("event") {
                guard let id = event.string.flatMap({ WebhookEventID(name: $0) }) else { throw .malformed }
                return .event(id)
            }
            guard let time = try fields.take("sinceMilliseconds")?.integer else { throw .malformed }
            return .missed(since: Timestamp(milliseconds: time))
        } put: {
            switch $0.replay {
            case .event(let id): $1.body?.set("event", id.name)
            case .missed(let since): $1.body?.set("sinceMilliseconds", since.milliseconds)
            }
        }
    }
}
