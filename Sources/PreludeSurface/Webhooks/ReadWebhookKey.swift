internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/webhooks/public-key`: the public key by which receivers check the signatures of webhooks. Prelude
/// shows it in its dashboard. The call needs no credentials.
///
///     ->  200, -----BEGIN PUBLIC KEY----- ...
struct ReadWebhookKey: Endpoint {
    typealias Failure = PreludeError
    typealias Refusal = PreludeError

    struct Order: Sendable {
        var isNext = false
    }

    let engine: Engine
    let keys: any WebhookKeyPair

    static let call = Call(
        .get, "/prelude/webhooks/public-key", id: "preludeReadWebhookKey", "Public key of webhooks",
        """
        Verifies X-Webhook-Signature: rsassa-pss-sha256=<base64url>, RSASSA-PSS over SHA-256 of the raw body with a salt of \
        32 bytes. A new key is told a week before it signs.
        """)
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.optionalQuery("next", .flag, "true: the key that takes over next. 404 while none is known.") {
            $0.isNext = $1
        }
    }
    static let reply = ResponseReply<String>([
        Answer(
            status: 200, about: "The key, in PEM.", content: Content(type: "text/plain", schema: .text()),
            headers: ["Cache-Control"])
    ]) { text in
        Response(
            status: 200,
            headers: [
                ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "public, max-age=\(maxAgeSeconds)"),
            ], body: Array(text.utf8))
    }
    static let refusals: [PreludeError] = [.notFound(what: "key")]

    private static let maxAgeSeconds = 300

    static var operations: [Operation] {
        [
            operation(
                .prelude, caller: nil, schema: .anything,
                errors: (exampleDefect.map { [.field($0)] } ?? []) + [
                    .overloaded, .internalFault(""), .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)),
                ], shape: .prelude)
        ]
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) throws(PreludeError) -> String {
        let now = engine.now()
        guard let key = order.isNext ? keys.nextWebhookPublicKey(at: now) : keys.webhookPublicKey(at: now) else {
            throw .notFound(what: "key")
        }
        return key
    }
}

extension PreludeSurface {
    func routes(_ endpoint: ReadWebhookKey) -> [Route] {
        let form = EndpointForm(ReadWebhookKey.self)
        return [
            Route(ReadWebhookKey.call.method, ReadWebhookKey.call.path) { [engine, callers] request in
                await PreludeError.answer(
                    request, report: engine.reports.log, render: { $0.response(requestID: request.id) }
                ) { () async throws(PreludeError) in
                    do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
                    return try await endpoint.answer(request, from: Nothing(), form)
                }
            }
        ]
    }
}
