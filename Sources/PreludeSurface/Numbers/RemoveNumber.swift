internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `DELETE /prelude/v2/verification/management/phone-numbers/{action}`: takes a number off a list. May be repeated.
///
///     {"phone_number":"+12001004014"}  ->  200 {"phone_number":"+12001004014"}
struct RemoveNumber: PreludeEndpoint {
    let lists: NumberLists
    let engine: Engine

    static let call = Call(
        .delete, NumberListOrder.path, id: "preludeRemoveNumber", "Take a number off a list",
        "The number is in the body.", body: .json(NumberListOrder.example), answer: "It is on the list no more.")
    static let body = NumberListOrder.shape
    static let parameters = NumberListOrder.parameters
    static let reply = NumberListOrder.reply
    static let refusals = NumberListOrder.refusals

    func respond(
        to order: NumberListOrder, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> PhoneNumber {
        let number = try Target.number(order.number, "phone_number", by: engine, for: tenant.id)
        try await PreludeError.running { () async throws(EngineFault) in
            try await lists.remove(number, from: order.action.list, of: tenant.id)
        }
        return number
    }
}
