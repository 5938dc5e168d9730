internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `GET /prelude/v2/verification/management/phone-numbers/{action}`: the numbers of a list.
///
///     ->  200 {"phone_numbers":[{"phone_number":"+12001004014","created_at":"2026-01-01T10:00:00Z"}]}
struct ListNumbers: PreludeEndpoint {
    let lists: NumberLists

    static let call = Call(
        .get, NumberListOrder.path, id: "preludeListNumbers", "List allowed or blocked numbers",
        "The newest 1000, newest first.", answer: "The numbers.")
    static let body = Shape(NumberListOrder())
    static let parameters = NumberListOrder.parameters
    static let reply = Reply<[ListedNumber]> {
        ReplyMember.always("phone_numbers", .list(of: .object(entry)), "The newest first: at most 1000.") { $0 }
    }
    private static let entry = Reply<ListedNumber>(name: "ListedNumber") {
        ReplyMember.always("phone_number", .text, "The number in E.164, with +.") { $0.number.e164 }
        ReplyMember.always("created_at", .moment, "Since when the number is on the list, UTC.") { $0.since }
    }

    func respond(
        to order: NumberListOrder, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> [ListedNumber] {
        try await PreludeError.running { () async throws(EngineFault) in
            try await lists.numbers(order.action.list, of: tenant.id)
        }
    }
}
