internal import Possession
internal import SurfaceKit

/// Blocks an activation: its phone signs nothing until it is unblocked.
struct BlockDevice: Order {
    let id: DeviceName

    static let call = OrderCall(.post, "/control/devices/{id}/block", Self.init, .device(\.id))
    static let reply = Reply<DeviceName>.device
    var act: OperatorAct? { OperatorAct("device blocked", .deviceBlocked, ["device": id.text]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> DeviceName {
        try await administrator.change(id, by: .block)
        return id
    }
}
