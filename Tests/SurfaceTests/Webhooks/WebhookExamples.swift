import HTTPServer
import Possession
import StrictJSON

@testable import SurfaceTestSupport

/// Calls about webhooks as a backend would, for the examples of the API description.
enum WebhookExamples {
    static func answers() async -> [(id: String, answer: Response)] {
        guard let world = try? await World() else { return [] }
        let added = await world.post(
            "/v1/webhooks", #"{"url":"https://shop.example/hooks","types":["session.*"],"key":"ed25519"}"#)
        let path = "/v1/webhooks/\(added.json["id"]?.string ?? "")"
        let tested = await world.call(.post, "\(path)/test")
        let listed = await world.call(.get, "\(path)/deliveries", query: "limit=1")
        return [
            ("addWebhook", added), ("listWebhooks", await world.call(.get, "/v1/webhooks")),
            ("readWebhook", await world.call(.get, path)), ("testWebhook", tested), ("listWebhookDeliveries", listed),
            ("replayWebhook", await world.post("\(path)/replay", #"{"since":1767261600}"#)),
            ("rotateWebhook", await world.call(.post, "\(path)/rotate")),
            ("disableWebhook", await world.call(.post, "\(path)/disable")),
            ("enableWebhook", await world.call(.post, "\(path)/enable")),
            ("removeWebhook", await world.call(.delete, path)),
        ]
    }
}
