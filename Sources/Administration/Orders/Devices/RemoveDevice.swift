internal import Possession
internal import SurfaceKit

/// Removes an activation for good, or revokes a device key.
struct RemoveDevice: Order {
    let id: DeviceName

    static let call = OrderCall(.post, "/control/devices/{id}/remove", Self.init, .device(\.id))
    static let reply = Reply<DeviceName>.device
    var act: OperatorAct? { OperatorAct("device removed", .deviceRemoved, ["device": id.text]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> DeviceName {
        try await administrator.change(id, by: .remove)
        return id
    }
}
