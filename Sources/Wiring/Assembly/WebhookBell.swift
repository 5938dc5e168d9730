internal import Locks
internal import Possession

/// Tells the worker of webhooks where something waits. Ringing never waits.
final class WebhookBell: Sendable {
    private let endpoints = Locked<Set<WebhookEndpointID>>([])
    private let rings: AsyncStream<Void>.Continuation
    /// One element for any number of rings since the last one.
    let sounds: AsyncStream<Void>

    init() {
        (sounds, rings) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func ring(_ endpoints: [WebhookEndpointID] = []) {
        if !endpoints.isEmpty { self.endpoints.withLock { $0.formUnion(endpoints) } }
        rings.yield()
    }

    /// The endpoints since the last call.
    func take() -> Set<WebhookEndpointID> {
        endpoints.withLock { endpoints in
            defer { endpoints = [] }
            return endpoints
        }
    }

    func silence() { rings.finish() }
}
