internal import Possession
internal import SurfaceKit

/// Makes a blocked activation active again, with all its attempts.
struct UnblockDevice: Order {
    let id: DeviceName

    static let call = OrderCall(.post, "/control/devices/{id}/unblock", Self.init, .device(\.id))
    static let reply = Reply<DeviceName>.device
    var act: OperatorAct? { OperatorAct("device unblocked", .deviceUnblocked, ["device": id.text]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> DeviceName {
        try await administrator.change(id, by: .unblock)
        return id
    }
}
