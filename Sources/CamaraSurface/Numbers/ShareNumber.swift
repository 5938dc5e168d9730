internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /camara/number-verification/v2/device-phone-number`: the number of the token's phone (Number Verification 2.1).
///
///     ->  200 {"devicePhoneNumber":"+12001004016"}
struct ShareNumber: CamaraEndpoint {
    let numbers: NumberProofs

    static let scope = CamaraScope.readNumber
    static let call = Call(
        .get, CamaraPath.numbers + "/device-phone-number",
        aliases: ["v2", "v0"].map {
            CamaraPath.passthrough("/number-verification/number-verification/\($0)/device-phone-number")
        }, id: "phoneNumberShare", "Read the phone's number",
        "As the network has told it.", answer: "The number.")
    static let reply = Reply<PhoneNumber>(example: #"{"devicePhoneNumber":"+12001004016"}"#) {
        ReplyMember.always(
            "devicePhoneNumber", .text(.text(pattern: "^\\+[1-9][0-9]{4,14}$")),
            "The number of the token's phone, in E.164 with +."
        ) { $0.e164 }
    }
    static let refusals: [CamaraError] = [.notByNetwork]

    func respond(
        to nothing: Nothing, of request: Request, from caller: CamaraCaller
    ) async throws(CamaraError) -> PhoneNumber {
        let number = try await numbers.number(for: caller)
        if let session = caller.session { request.note(session) }
        return number
    }
}
