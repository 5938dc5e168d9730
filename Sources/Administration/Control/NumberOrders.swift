internal import Possession
internal import StrictJSON

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
