internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/webhooks/receiver`: the requests that the sandbox's receiver got, newest first, unchanged.
///
///     ->  200 {"requests":[{"at":"...","attempt":1,"answered":204,"headers":{"webhook-id":"evt_...", ...},"body":"{...}"}]}
struct ListTakenWebhooks: SandboxEndpoint {
    let receiver: WebhookReceiver

    static let call = Call(
        .get, "/sandbox/webhooks/receiver", id: "listTakenWebhooks", "Webhooks that the receiver took",
        "At most \(WebhookReceiver.mostKept), newest first, byte for byte: a verifier can check the signature. They "
            + "are kept until the server stops.")
    static let reply = Reply<[WebhookReceiver.Taken]> {
        ReplyMember.always("requests", .list(of: .object(request)), "Newest first.") { $0 }
    }

    private static let request = Reply<WebhookReceiver.Taken>(name: "TakenWebhook") {
        ReplyMember.always("at", .moment, "A time by the sandbox clock.") { $0.at }
        ReplyMember.always("attempt", .integer(1...Int.max), "The number of this attempt at the event.") { $0.attempt }
        ReplyMember.always("answered", .integer(200...599), "The status.") { $0.answered }
        ReplyMember.always("headers", .object(headers), "The header fields that the receiver keeps.") { $0.headers }
        ReplyMember.always("body", .text, "The body as it came, read as UTF-8.") { $0.body }
    }

    private static let headers = Reply<Headers>(name: "TakenHeaders") {
        header("content-type", "The media type of the body.")
        header("user-agent", "Holdfast-Webhooks, where this server is the sender.")
        header("webhook-id", "Names the event; every attempt has the same one.")
        header("webhook-timestamp", "Unix seconds of this attempt.")
        header("webhook-signature", "Signatures as Standard Webhooks 1.0.0 has them.")
    }

    private static func header(_ name: String, _ about: String) -> ReplyMember<Headers> {
        ReplyMember.whenThere(name, .text, about) { $0[name] }
    }

    func respond(
        to nothing: Nothing, of request: Request, from caller: Nothing
    ) async throws(SandboxError) -> [WebhookReceiver.Taken] { receiver.requests }
}
