package import HTTPServer
package import Engine
internal import Possession
package import SurfaceKit

/// Calls of an app's backend for webhooks: endpoints, deliveries, replays. An extension of ours: Prove has no such
/// calls. Uses the platform's gate.
package struct WebhookSurface: PlatformGated {
    let gate: PlatformGate
    private let webhooks: WebhookManager

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<WebhookSurface>] = [
        SurfaceCall { AddWebhook(webhooks: $0.webhooks) },
        SurfaceCall { ListWebhooks(webhooks: $0.webhooks) },
        SurfaceCall { ReadWebhook(webhooks: $0.webhooks) },
        SurfaceCall { RemoveWebhook(webhooks: $0.webhooks) },
        SurfaceCall { TestWebhook(webhooks: $0.webhooks) },
        SurfaceCall { RotateWebhook(webhooks: $0.webhooks) },
        SurfaceCall { EnableWebhook(webhooks: $0.webhooks) },
        SurfaceCall { DisableWebhook(webhooks: $0.webhooks) },
        SurfaceCall { ListWebhookDeliveries(webhooks: $0.webhooks) },
        SurfaceCall { ReplayWebhook(webhooks: $0.webhooks) },
    ]

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate, webhooks: WebhookManager) {
        self.gate = gate
        self.webhooks = webhooks
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations), schemas: [WebhookReplies.endpoint.named, WebhookReplies.delivery.named],
        webhooks: WebhookCatalogue.webhooks)
}
