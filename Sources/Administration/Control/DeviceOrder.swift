internal import Possession
internal import StrictJSON

/// An operator's order about devices: activations and device keys.
///
///     POST /control/devices/list          {"phoneNumber":"+12015550123","clientId":"shop","before":"...","limit":100}
///     POST /control/devices/{id}/block
///     POST /control/devices/{id}/unblock
///     POST /control/devices/{id}/remove
enum DeviceOrder: Sendable, Equatable {
    enum Act: String, CaseIterable, Sendable { case block, unblock, remove }

    case list(DeviceList)
    case change(DeviceName, Act)

    var path: String {
        switch self {
        case .list: "/control/devices/list"
        case .change(let id, let act): "/control/devices/\(id.text)/\(act.rawValue)"
        }
    }

    var body: [UInt8] {
        if case .list(let list) = self { list.body } else { [] }
    }

    /// The name, event and device for the log and the audit log; `nil`: the order only reads.
    var act: (what: String, event: AuditEvent, id: DeviceName)? {
        switch self {
        case .list: nil
        case .change(let id, .block): ("device blocked", .deviceBlocked, id)
        case .change(let id, .unblock): ("device unblocked", .deviceUnblocked, id)
        case .change(let id, .remove): ("device removed", .deviceRemoved, id)
        }
    }
}

/// The id of an activation or a device key. Both have the same form.
struct DeviceName: Identifier {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    var activation: ActivationID { ActivationID(high: high, low: low) }
    var key: DeviceID { DeviceID(high: high, low: low) }
}

/// The page of the list of devices that an order asks for.
struct DeviceList: Sendable, Equatable {
    /// The owner whose devices are listed.
    enum Owner: Sendable, Equatable {
        case client(ClientID)
        /// The owner of a number or an address, at one API client; `nil`: at all API clients.
        case target(Target, at: ClientID?)
    }

    static let limits = 1...1000
    static let standardLimit = 100

    let owner: Owner
    /// The last device of the previous page.
    var before: DeviceName?
    var limit = DeviceList.standardLimit

    init(_ owner: Owner, before: DeviceName? = nil, limit: Int = DeviceList.standardLimit) {
        self.owner = owner
        self.before = before
        self.limit = limit
    }

    var client: ClientID? {
        switch owner {
        case .client(let client): client
        case .target(_, let client): client
        }
    }

    fileprivate var body: [UInt8] {
        var object = JSONObject()
        if case .target(let target, _) = owner { object.set(target) }
        object.set("clientId", client?.text)
        object.set("before", before?.text)
        object.set("limit", limit)
        return object.serialized()
    }

    /// Reads the output of `DeviceOrder.body`; `nil`: the bytes have another form.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONObject.parse(body) else { return nil }
        var (target, client): (Target?, ClientID?) = (nil, nil)
        for member in object.members {
            switch (member.name, member.value) {
            case ("clientId", .string(let text)):
                guard let id = ClientID(text) else { return nil }
                client = id
            case ("before", .string(let text)):
                guard let id = DeviceName(text) else { return nil }
                before = id
            case ("limit", .integer(let number)):
                guard let number = Int(exactly: number), Self.limits.contains(number) else { return nil }
                limit = number
            case (let name, .string(let text)):
                guard target == nil, let read = Target(named: name, text) else { return nil }
                target = read
            default: return nil
            }
        }
        if let target {
            owner = .target(target, at: client)
        } else if let client {
            owner = .client(client)
        } else {
            return nil
        }
    }
}
