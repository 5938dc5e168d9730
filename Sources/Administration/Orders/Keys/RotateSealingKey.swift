internal import Possession
internal import SurfaceKit

/// Makes a new sealing key, and shows the keys.
struct RotateSealingKey: Order {
    static let call = OrderCall(.post, "/control/keys/sealing", Self.init)
    static let reply = ShowKeyStatus.reply
    var act: OperatorAct? { OperatorAct("sealing key rotated", .sealingKeyRotated) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> ShowKeyStatus.Status {
        try await administrator.rotateSealing()
        return try await administrator.keysetStanding()
    }
}
