internal import Possession
internal import SurfaceKit

/// Resets the failures that were counted for a number or an address.
struct UnlockNumber: Order {
    let target: Target

    static let call = OrderCall(.post, "/control/numbers/unlock", Self.init, .target(\.target))
    static let reply = Reply<Int> { ReplyMember.always("forgotten", .count) { $0 } }
    var act: OperatorAct? { OperatorAct("number unlocked", .numberUnlocked, target: target) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> Int {
        try await administrator.unlock(target)
    }
}
