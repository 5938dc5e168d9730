internal import Engine
internal import Possession
internal import SurfaceKit

/// The path parameter of the calls about one endpoint.
enum OneWebhook {
    static let body = Shape(WebhookEndpointID(high: 0, low: 0))
    static let parameters = Parameters<WebhookEndpointID, PlatformError> { id { $0 = $1 } }

    /// The ID of an endpoint. A text that is not an identifier names no endpoint.
    static func id<Body>(
        _ set: @escaping @Sendable (inout Body, WebhookEndpointID) -> Void
    ) -> ParameterMember<Body, PlatformError> {
        .path(
            "webhookId", input, "It names an endpoint of the caller; else 404, 8010.",
            orRefuse: .notFound(what: "webhook"),
            set)
    }

    private static let input = ParameterInput<WebhookEndpointID>(.text()) { (text, name) throws(FieldDefect) in
        guard let id = WebhookEndpointID(name: text) else { throw FieldDefect(name, "must be we_ and a UUID") }
        return id
    }
}

extension WebhookManager {
    /// Makes the call, and converts its refusal to the surface's error.
    func answer<Answered: Sendable>(
        _ call: (WebhookManager) async throws(Refusal) -> Answered
    ) async throws(PlatformRefusal) -> Answered {
        do throws(Refusal) { return try await call(self) } catch { throw PlatformRefusal(error) }
    }
}
