internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit

/// `DELETE /prelude/v2/verification/management/phone-numbers/sandbox/{phone_number}`: makes a test number an ordinary
/// number again. May be repeated.
///
///     ->  200 {"phone_number":"+12065550100"}
struct RemoveTestNumber: PreludeEndpoint {
    struct Order: Sendable {
        var number = ""
    }

    let numbers: TestNumbers
    let engine: Engine

    static let call = Call(
        .delete, ListTestNumbers.path + "/{phone_number}", id: "preludeRemoveTestNumber", "Remove a sandbox number", "",
        answer: "It is there no more.")
    static let body = Shape(Order())
    static let parameters = Parameters<Order, PreludeError> {
        ParameterMember.path("phone_number", .filledText(.phoneNumber), "With + and country code.") { $0.number = $1 }
    }
    static let reply = NumberListOrder.reply
    static let refusals = NumberListOrder.refusals

    func respond(
        to order: Order, of request: Request, from tenant: Tenant
    ) async throws(PreludeError) -> PhoneNumber {
        let number = try Target.number(order.number, "phone_number", by: engine, for: tenant.id)
        try await PreludeError.running { () async throws(EngineFault) in
            try await numbers.remove(number, of: tenant.id)
        }
        return number
    }
}
