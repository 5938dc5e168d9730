internal import Possession
internal import SurfaceKit

/// Adds a test number: messages to it are not sent, and its fixed code passes.
struct AddTestNumber: Order, Equatable {
    let number: PhoneNumber
    let code: OTP
    /// How many days the test number is valid. The administrator checks it.
    let days: Int
    /// The API client that has the number; `nil`: all API clients have it.
    let client: ClientID?

    static let call = OrderCall(
        .post, "/control/testnumbers", status: 201, Self.init, .required("phoneNumber", .phoneNumber, \.number),
        .required("code", .code, \.code), .required("days", .integer(), \.days),
        .optional("clientId", .client, \.client))
    static let reply = ListTestNumbers.listed
    var act: OperatorAct? {
        OperatorAct(
            "test number added", .testNumberAdded, of: client, target: .number(number), ["days": String(days)])
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> (entry: TestNumber, now: Timestamp) {
        let entry = try await administrator.add(self)
        return (entry, entry.createdAt)
    }
}
