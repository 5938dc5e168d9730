internal import HTTPServer
internal import Engine
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `POST /client/v1/session/mobile-auth`: opens an attempt (client protocol 4.7).
///
///     {"requestId":"r-1"}  ->  200 {"attemptId":"b7w0...","authUrl":"https://.../ma/v1/go/b7w0...?t=4Hk...",
///                                   "network":"cellular","mode":"client","timeoutMs":8000,"expiresAt":"...","state":{...}}
///
/// A native client opens `authUrl` over cellular and follows the redirects itself; a web page (`mode` `navigate`)
/// navigates there and gets the outcome at its return URL. A new attempt invalidates the older one.
struct BeginMobileAuth: ClientEndpoint {
    /// The opened attempt, with the values for its answer.
    struct Attempt: ClientAnswer {
        let reply: OperationReply
        /// A retry returns the attempt that its first call opened.
        let id: String
        let authURL: String
        let timeoutMilliseconds: Int
    }

    private enum Network: String { case cellular }
    private enum Mode: String, CaseIterable { case client, navigate }

    let calls: ClientCalls
    /// Scheme and authority of `authUrl`.
    let publicURL: String

    static let call = Call(
        .post, ClientDescription.path + "/mobile-auth", id: "beginMobileAuth", "Begin Mobile Auth",
        "Opens an attempt; an older one is void. The answer's authUrl is to be opened over cellular.",
        body: .optionalJSON(upTo: .short), answer: "The attempt.")

    static let reply = Reply<Attempt>(name: "MobileAuthAttempt") {
        ReplyMember.always("attemptId", .text, "Names the attempt in the call of finish.") { $0.id }
        ReplyMember.always("authUrl", .text(.text(format: "uri")), "The first hop.") { $0.authURL }
        ReplyMember.always("network", .choice([Network.cellular]), "The network that the hops must be followed over.") {
            _ in
            .cellular
        }
        ReplyMember.always(
            "mode", .choice(Mode.allCases), "client: follow the redirects yourself. navigate: go there."
        ) { $0.reply.session.declaration?.platform == .web ? .navigate : .client }
        ReplyMember.always("timeoutMs", .integer(1...Int.max), "After this time, finish with an error.") {
            $0.timeoutMilliseconds
        }
        ReplyMember.whenThere("expiresAt", .text(.moment), "The first hop can be taken until this time.") {
            $0.reply.session.mobileAuth.ticketExpiresAt?.rfc3339
        }
        ReplyMember.always("state", .object(.named("State")), "The state after the call.") {
            StateDocument($0.reply.session).object
        }
    }

    func respond(
        to body: Nothing, of request: Request, from call: RepeatableCall
    ) async throws(ClientError) -> Attempt {
        let reply = try await calls.perform(call) { (commands) throws(EngineFault) in
            try commands.beginMobileAuth()
        }
        guard let offer = reply.offer else {
            guard reply.refusal != nil else { throw .internalFault("an attempt was opened without an offer") }
            return Attempt(reply: reply, id: "", authURL: "", timeoutMilliseconds: 0)
        }
        let id = calls.engine.crypto.keyed.text(offer.attempt.bytes)
        return Attempt(
            reply: reply, id: id, authURL: "\(publicURL)/ma/v1/go/\(id)?t=\(offer.ticket)",
            timeoutMilliseconds: Int(calls.engine.limits.mobileAuthChainTimeout.wholeMilliseconds))
    }
}
