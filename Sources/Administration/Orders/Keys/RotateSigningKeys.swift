internal import Possession
internal import SurfaceKit

/// Makes new signing keys, and lists them all.
struct RotateSigningKeys: Order {
    static let call = OrderCall(.post, "/control/keys/rotate", Self.init)
    static let reply = ListSigningKeys.reply
    var act: OperatorAct? { OperatorAct("signing keys rotated", .signingKeysRotated) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [ListSigningKeys.Listed] {
        try await administrator.rotateKeys()
        return try await administrator.keys()
    }
}
