internal import Possession
internal import StrictJSON

/// Bodies of the orders: `{"phoneNumber":"+12015550123"}`.
enum NumberOrders {
    static func body(_ number: PhoneNumber) -> [UInt8] {
        (["phoneNumber": .string(number.e164)] as JSONObject).serialized()
    }

    static func number(_ body: [UInt8]) -> PhoneNumber? {
        guard let object = try? JSONObject.parse(body), object.count == 1 else { return nil }
        return object["phoneNumber"]?.string.flatMap { PhoneNumber(e164: $0) }
    }
}
