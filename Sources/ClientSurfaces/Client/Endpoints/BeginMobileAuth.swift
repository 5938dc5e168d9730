internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /client/v1/session/mobile-auth`: opens an attempt (client protocol 4.7).
///
///     {"requestId":"r-1"}  ->  200 {"attemptId":"b7w0...","authUrl":"https://.../ma/v1/go/b7w0...?t=4Hk...",
///                                   "network":"cellular","mode":"client","timeoutMs":8000,"expiresAt":"...","state":{...}}
///
/// A native client opens `authUrl` over cellular and follows the redirects itself; a web page (`mode` `navigate`)
/// navigates there and gets the outcome at its return URL. A new attempt makes the older one void.
struct BeginMobileAuth: Sendable {
    let calls: ClientCalls
    /// Scheme and authority of `authUrl`.
    let publicURL: String

    /// - Throws: `.invalidRequest`, `.unsupportedMediaType`, `.invalidToken`, `.overloaded`, `.internalFault`.
    func respond(to request: Request, from caller: ClientCaller) async throws(ClientError) -> Response {
        let (_, retry) = try calls.fields(of: request, known: [], isOptional: true)
        let timeout = calls.engine.limits.mobileAuthChainTimeout
        return try await calls.perform(
            caller, retry,
            render: { reply in
                // A retry is shown the attempt that its first call opened.
                let id = reply.offer.map { calls.engine.keyed.text($0.attempt.bytes) }
                var object = JSONObject()
                object.set("attemptId", id)
                if let id, let offer = reply.offer {
                    object.set("authUrl", "\(publicURL)/ma/v1/go/\(id)?t=\(offer.ticket)")
                }
                object.set("network", "cellular")
                object.set("mode", reply.session.declaration?.platform == .web ? "navigate" : "client")
                object.set("timeoutMs", Int(timeout.wholeMilliseconds))
                object.set("expiresAt", reply.session.mobileAuth.ticketExpiresAt?.rfc3339)
                object.set("state", StateDocument(reply.session).object)
                return object
            },
            { (operations) throws(EngineFault) in try operations.beginMobileAuth() })
    }
}
