internal import Locks
internal import Possession

/// Tells the webhook worker which endpoints have waiting events. Ringing never blocks.
final class WebhookBell: Sendable {
    private let endpoints = Locked<Set<WebhookEndpointID>>([])
    private let rings: AsyncStream<Void>.Continuation
    /// Delivers one element for all rings since the previous element.
    let sounds: AsyncStream<Void>

    init() {
        (sounds, rings) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func ring(_ endpoints: [WebhookEndpointID] = []) {
        if !endpoints.isEmpty { self.endpoints.withLock { $0.formUnion(endpoints) } }
        rings.yield()
    }

    /// The endpoints that rang since the last call.
    func take() -> Set<WebhookEndpointID> {
        endpoints.withLock { endpoints in
            defer { endpoints = [] }
            return endpoints
        }
    }

    func silence() { rings.finish() }
}
