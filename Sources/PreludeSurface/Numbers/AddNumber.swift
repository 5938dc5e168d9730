internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `POST /prelude/v2/verification/management/phone-numbers/{action}`: puts a number on a list. May be repeated.
///
///     {"phone_number":"+12001004014"}  ->  200 {"phone_number":"+12001004014"}
struct AddNumber: PreludeEndpoint {
    let lists: NumberLists
    let engine: Engine

    static let call = Call(
        .post, NumberListOrder.path, id: "preludeAddNumber", "Allow or block a number",
        """
        A blocked number gets no message of this API client. An allowed one is noted: the limits of the server hold for it \
        too. A list has at most 10,000 numbers.
        """,
        body: .json(NumberListOrder.example), answer: "It is on the list.")
    static let body = NumberListOrder.shape
    static let parameters = NumberListOrder.parameters
    static let reply = NumberListOrder.reply
    static let refusals = NumberListOrder.refusals + [.listFull(what: "numbers")]

    func respond(
        to order: NumberListOrder, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> PhoneNumber {
        let number = try Target.number(order.number, "phone_number", by: engine, for: tenant.id)
        let isAdded = try await PreludeError.running { () async throws(EngineFault) in
            try await lists.add(number, to: order.action.list, of: tenant.id)
        }
        guard isAdded else { throw .listFull(what: "numbers") }
        return number
    }
}
