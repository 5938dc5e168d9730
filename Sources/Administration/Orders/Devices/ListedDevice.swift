internal import Possession
internal import SurfaceKit

/// A device in an operator's list: an activated app on a phone, or a device key.
struct ListedDevice: Sendable {
    private let kind: String
    let id: DeviceName
    private let client: ClientID
    private let status: String
    private var activation: DeviceActivation?
    private let platform: String?
    private let target: Target
    private let createdAt: Timestamp
    private let lastUsedAt: Timestamp?

    init(_ activation: DeviceActivation) {
        kind = "activation"
        id = DeviceName(high: activation.id.high, low: activation.id.low)
        client = activation.clientID
        status = activation.standing.status.rawValue
        self.activation = activation
        platform = activation.details.platform
        target = activation.target
        createdAt = activation.createdAt
        lastUsedAt = activation.lastUsedAt
    }

    /// - Parameter isInactive: the key was not used for so long that it counts as unknown.
    init(_ key: DeviceKey, isInactive: Bool) {
        kind = "key"
        id = DeviceName(high: key.id.high, low: key.id.low)
        client = key.clientID
        status = key.status == .active && isInactive ? "inactive" : key.status.rawValue
        platform = key.platform.rawValue
        target = .number(key.number)
        createdAt = key.createdAt
        lastUsedAt = key.lastUsedAt
    }

    static let reply = Reply<ListedDevice> {
        ReplyMember.always("kind", .text) { $0.kind }
        ReplyMember.always("id", .identifier()) { $0.id }
        ReplyMember.always("client", .text) { $0.client.text }
        ReplyMember.always("status", .text) { $0.status }
        ReplyMember.whenThere("reason", .text) { $0.activation?.standing.reason?.rawValue }
        ReplyMember.whenThere("since", .moment) { $0.activation?.standing.since }
        ReplyMember.whenThere("failedAttempts", .count) { $0.activation?.failedAttempts }
        ReplyMember.whenThere("name", .text) { $0.activation?.details.name }
        ReplyMember.whenThere("platform", .text) { $0.platform }
        ReplyMember.whenThere("device", .text) { $0.activation?.details.device }
        ReplyMember.whenThere("phoneNumber", .text) { $0.target.number == nil ? nil : $0.target.masked }
        ReplyMember.whenThere("emailAddress", .text) { $0.target.number == nil ? $0.target.masked : nil }
        ReplyMember.always("createdAt", .moment) { $0.createdAt }
        ReplyMember.whenThere("lastUsedAt", .moment) { $0.lastUsedAt }
    }
}
