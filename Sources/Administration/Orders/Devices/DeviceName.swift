internal import Possession
internal import SurfaceKit

/// The id of an activation or a device key. Both have the same form.
struct DeviceName: Identifier {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    var activation: ActivationID { ActivationID(high: high, low: low) }
    var key: DeviceID { DeviceID(high: high, low: low) }
}

/// A change of a device by an operator.
enum DeviceAct: String, CaseIterable, Sendable { case block, unblock, remove }

extension OrderMember where Value == DeviceName {
    /// The device in the path.
    static func device(_ path: Path<DeviceName>) -> OrderMember {
        .id(.identifier, path, orRefuse: .unknownDevice)
    }
}

extension Reply<DeviceName> {
    /// The answer of orders that change a device.
    static var device: Reply { Reply { ReplyMember.always("id", .identifier()) { $0 } } }
}
