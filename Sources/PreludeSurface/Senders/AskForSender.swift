internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/verification/management/sender-id`: requests a sender name. May be repeated.
///
///     {"sender_id":"Shop"}  ->  200 {"sender_id":"Shop","status":"pending"}
struct AskForSender: PreludeEndpoint {
    struct Order: Sendable {
        var name: SenderName?
    }

    let senders: SenderNames

    static let call = Call(
        .post, ListSenders.path, id: "preludeAskForSender", "Ask for a sender name",
        "The name is kept for the operator, and pending. An API client has at most 50.",
        body: .json(#"{"sender_id":"Shop"}"#), answer: "It is kept.")
    static let body = Shape(Order()) {
        Member.required("sender_id", .senderName, "1 to 16 letters, digits, blanks and . _ - +") { $0.name = $1 }
    }
    static let reply = ListSenders.entry
    static let refusals: [PreludeError] = [.listFull(what: "sender names")]

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> SenderName {
        guard let name = order.name else { throw .field(.missing("sender_id")) }
        let isAdded = try await PreludeError.running { () async throws(EngineFault) in
            try await senders.add(name, of: tenant.id)
        }
        guard isAdded else { throw .listFull(what: "sender names") }
        return name
    }
}

extension Input where Value == SenderName {
    fileprivate static var senderName: Input {
        Input<String>.filledText(.freeText(16)).map(orFail: "must be letters, digits, blanks and . _ - +") {
            SenderName($0)
        }
    }
}
