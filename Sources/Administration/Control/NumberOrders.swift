internal import Possession
internal import StrictJSON

/// Bodies of the orders: `{"phoneNumber":"+12015550123"}`, `{"emailAddress":"ada@example.com"}`.
enum NumberOrders {
    static func body(_ target: Target) -> [UInt8] {
        var object = JSONObject()
        object.set(target)
        return object.serialized()
    }

    static func target(_ body: [UInt8]) -> Target? {
        guard let object = try? JSONObject.parse(body), object.count == 1, let member = object.members.first,
            let text = member.value.string
        else { return nil }
        return Target(named: member.name, text)
    }

    static func number(_ body: [UInt8]) -> PhoneNumber? { target(body)?.number }
}

extension JSONObject {
    /// Sets the unmasked number or address, under the name of its kind.
    mutating func set(_ target: Target) {
        set(target.number == nil ? "emailAddress" : "phoneNumber", target.text)
    }
}

extension Target {
    /// Reads a member that `JSONObject.set` wrote.
    init?(named name: String, _ text: String) {
        let read: Target? =
            switch name {
            case "phoneNumber": PhoneNumber(e164: text).map(Target.number)
            case "emailAddress": EmailAddress(text).map(Target.email)
            default: nil
            }
        guard let read else { return nil }
        self = read
    }
}
