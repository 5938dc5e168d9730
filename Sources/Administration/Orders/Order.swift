internal import SurfaceKit

/// An order of an operator, declared once. The route of the control socket, the request of a command, the line of the
/// log, the entry of the audit log and the answer all come from this declaration.
///
///     struct BlockDevice: Order {
///         let id: DeviceName
///
///         static let call = OrderCall(
///             .post, "/control/devices/{id}/block", Self.init, .id(.identifier, \.id, orRefuse: .unknownDevice))
///         static let reply = Reply<DeviceName> { ReplyMember.always("id", .identifier()) { $0 } }
///         var act: OperatorAct? { OperatorAct("device blocked", .deviceBlocked, ["device": id.text]) }
///
///         func respond(_ administrator: Administrator) async throws(Refusal) -> DeviceName
///     }
///
/// It is not an `Endpoint`: a command must also write the members that the server reads, an order is carried out
/// without a request if no server runs, and a member that is unknown, `null` or empty is refused.
protocol Order: Sendable {
    typealias Refusal = Administrator.Refusal
    associatedtype Answered

    static var call: OrderCall<Self> { get }
    static var reply: Reply<Answered> { get }
    /// The act for the log and the audit log; `nil`: the order only reads.
    var act: OperatorAct? { get }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Answered
}

/// An order that changes nothing and shows no secret, so it is not recorded.
protocol ReadingOrder: Order {}

extension ReadingOrder {
    var act: OperatorAct? { nil }
}
