internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// `GET /sandbox/operator/number-verification/v2/device-phone-number`: whose connection is it?
///
///     ->  200 {"devicePhoneNumber":"+12001004016"}
struct ReadDeviceNumber: Sendable {
    let gate: OperatorAPIGate

    /// - Throws: those of the gate. A user who is said to differ has nothing to differ from here, and is not found.
    func respond(to request: Request) async throws(OperatorAPIError) -> Response {
        let connection = try await gate.connection(for: request, .readNumber)
        guard connection.outcome == .match else { throw .notOnNetwork }
        var object = JSONObject()
        object.set("devicePhoneNumber", connection.number.e164)
        return .json(200, object)
    }
}
