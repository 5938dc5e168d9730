internal import Possession
internal import SurfaceKit

/// Allows messages to a prefix again, and resets the counts of unanswered messages there.
struct OpenPrefix: Order {
    let prefix: NumberPrefix

    static let call = OrderCall(.post, "/control/guard/open", Self.init, .required("prefix", .prefix, \.prefix))
    static let reply = Reply<Bool> { ReplyMember.always("opened", .flag) { $0 } }
    var act: OperatorAct? { OperatorAct("prefix opened", .prefixOpened, ["prefix": prefix.text]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Bool {
        try await administrator.open(prefix)
    }
}
