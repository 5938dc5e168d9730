package import Possession
internal import StrictJSON

/// A test number as an operator wants it.
package struct TestNumberOrder: Sendable, Equatable {
    package let number: PhoneNumber
    package let code: OTP
    /// The API client that has the number; `nil`: all API clients have it.
    package let client: ClientID?
    /// How long it passes.
    package let days: Int

    package init(number: PhoneNumber, code: OTP, client: ClientID?, days: Int) {
        self.number = number
        self.code = code
        self.client = client
        self.days = days
    }

    var object: JSONObject {
        var object: JSONObject = ["phoneNumber": .string(number.e164), "code": .string(code.text)]
        object.set("days", days)
        object.set("clientId", client?.text)
        return object
    }

    /// Reads what `object` writes; `nil` when anything else stands there.
    init?(_ body: [UInt8]) {
        guard let object = try? JSONObject.parse(body),
            let number = object["phoneNumber"]?.string.flatMap({ PhoneNumber(e164: $0) }),
            let code = object["code"]?.string.flatMap({ OTP($0) }),
            let days = object["days"]?.integer.flatMap({ Int(exactly: $0) }),
            object.count == (object.has("clientId") ? 4 : 3)
        else { return nil }
        let client = object["clientId"]?.string.flatMap { ClientID($0) }
        guard (client == nil) == (object["clientId"] == nil) else { return nil }
        self.init(number: number, code: code, client: client, days: days)
    }
}
