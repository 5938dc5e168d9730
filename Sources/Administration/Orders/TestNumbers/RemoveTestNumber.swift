internal import Possession
internal import SurfaceKit

/// Removes a test number: the next message to it is sent.
struct RemoveTestNumber: Order {
    let number: PhoneNumber

    static let call = OrderCall(
        .post, "/control/testnumbers/remove", Self.init, .required("phoneNumber", .phoneNumber, \.number))
    static let reply = Reply<Nothing> {}
    var act: OperatorAct? { OperatorAct("test number removed", .testNumberRemoved, target: .number(number)) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Nothing {
        try await administrator.removeTestNumber(number)
        return Nothing()
    }
}
