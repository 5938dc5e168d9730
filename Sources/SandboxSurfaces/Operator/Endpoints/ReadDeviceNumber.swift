internal import Sandbox
internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// `GET /sandbox/operator/number-verification/v2/device-phone-number`: the number of the connection.
///
///     ->  200 {"devicePhoneNumber":"+12001004016"}
struct ReadDeviceNumber: OperatorAPIEndpoint {
    static let call = Call(
        .get, SimulatedOperator.apiPath + "/device-phone-number", id: "readDeviceNumber", "Whose connection is it?",
        "CAMARA Number Verification.", answer: "The number.")
    static let scope = OperatorScope.readNumber
    static let refusals: [OperatorAPIError] = [.invalidArgument("x-correlator has another form")]
    static let reply = Reply<PhoneNumber>(example: #"{"devicePhoneNumber":"+12001004016"}"#) {
        ReplyMember.always("devicePhoneNumber", .text, "The number of the connection, E.164.") { $0.e164 }
    }

    /// - Throws: `.notOnNetwork`, also for a user with the outcome "mismatch": this call has no number to compare with.
    func respond(
        to nothing: Nothing, of request: Request, from connection: SimulatedConnection
    ) async throws(OperatorAPIError) -> PhoneNumber {
        guard connection.outcome == .match else { throw .notOnNetwork }
        return connection.number
    }
}
