internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/v2/verification/management/sender-id`: the sender names that this API client has requested.
///
///     ->  200 {"sender_ids":[{"sender_id":"Shop","status":"pending"}]}
struct ListSenders: PreludeEndpoint {
    static let path = "/prelude/v2/verification/management/sender-id"

    /// Always pending: the operator configures the server's senders, and no call approves one.
    enum Status: String, CaseIterable, Sendable { case pending }

    let senders: SenderNames

    static let call = Call(
        .get, path, id: "preludeListSenders", "List sender names",
        "All are pending: what a route sends as is a setting of the server's operator.", answer: "The names.")
    static let reply = Reply<[SenderName]> {
        ReplyMember.always("sender_ids", .list(of: .object(entry)), "Each name that this API client has asked for.") {
            $0
        }
    }
    static let entry = Reply<SenderName>(name: "SenderID") {
        ReplyMember.always("sender_id", .text, "The name, as it was asked for.") { $0.text }
        ReplyMember.always(
            "status", .choice(Status.allCases),
            "Always pending: the operator's settings decide what messages are sent as."
        ) { _ in .pending }
    }

    func respond(
        to body: Nothing, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> [SenderName] {
        try await PreludeError.running { () async throws(EngineFault) in try await senders.names(of: tenant.id) }
    }
}
