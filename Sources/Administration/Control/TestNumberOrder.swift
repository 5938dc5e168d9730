package import Possession
internal import StrictJSON

/// An operator's order for a test number.
package struct TestNumberOrder: Sendable, Equatable {
    package let number: PhoneNumber
    package let code: OTP
    /// The API client that has the number; `nil`: all API clients have it.
    package let client: ClientID?
    /// How many days the test number is valid.
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

    /// Reads the output of `object`; `nil`: the bytes have another form.
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
