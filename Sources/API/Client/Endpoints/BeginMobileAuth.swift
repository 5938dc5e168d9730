internal import HTTPServer
internal import Possession
internal import StrictJSON

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
        let offer: ClientService.MobileAuthOffer
        do throws(ClientService.Fault) { offer = try calls.service.drawMobileAuthOffer() } catch {
            throw ClientError(error)
        }
        let id = calls.engine.keyed.text(offer.attempt.bytes)
        let url = "\(publicURL)/ma/v1/go/\(id)?t=\(offer.ticket)"
        let timeout = calls.engine.limits.mobileAuthChainTimeout
        return try await calls.perform(
            caller, retry,
            render: { session in
                var object = JSONObject()
                object.set("attemptId", id)
                object.set("authUrl", url)
                object.set("network", "cellular")
                object.set("mode", session.declaration?.platform == .web ? "navigate" : "client")
                object.set("timeoutMs", Int(timeout.wholeMilliseconds))
                object.set("expiresAt", session.mobileAuth.ticketExpiresAt?.rfc3339)
                object.set("state", StateDocument(session).object)
                return object
            },
            { [calls] call throws(ClientService.Fault) in try await calls.service.beginMobileAuth(offer, call) })
    }
}
