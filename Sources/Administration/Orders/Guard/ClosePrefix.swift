internal import Possession
internal import SurfaceKit

/// Blocks messages to a prefix for a time, except to people whom an API client knows.
struct ClosePrefix: Order {
    /// At most a week.
    static let hours = 1...168

    let prefix: NumberPrefix
    let hours: Int

    static let call = OrderCall(
        .post, "/control/guard/close", Self.init, .required("prefix", .prefix, \.prefix),
        .required("hours", .integer(hours), \.hours))
    static let reply = Reply<ClosedPrefix> {
        ReplyMember.always("prefix", .text) { $0.prefix.text }
        ReplyMember.always("until", .moment) { $0.until }
    }
    var act: OperatorAct? {
        OperatorAct("prefix closed", .prefixClosedByHand, ["prefix": prefix.text, "hours": String(hours)])
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ClosedPrefix {
        ClosedPrefix(prefix: prefix, until: try await administrator.close(prefix, hours: hours))
    }
}
