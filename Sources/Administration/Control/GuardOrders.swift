internal import Possession
internal import StrictJSON

/// The beginning of numbers that the spend guard counts together: all but their last four digits.
struct NumberPrefix: Sendable, Equatable {
    let text: String
    let key: LimitKey

    /// - Parameter text: `+` and 1 to 11 digits.
    init?(_ text: String) {
        guard let key = LimitKey(prefix: text) else { return nil }
        self.text = text
        self.key = key
    }
}

/// Bodies of the orders: `{"prefix":"+1206555","hours":12}`.
enum GuardOrders {
    /// A week.
    static let hours = 1...168

    static func body(_ prefix: NumberPrefix, hours: Int?) -> [UInt8] {
        var object: JSONObject = ["prefix": .string(prefix.text)]
        object.set("hours", hours)
        return object.serialized()
    }

    static func opening(_ body: [UInt8]) -> NumberPrefix? {
        guard let object = try? JSONObject.parse(body), object.count == 1 else { return nil }
        return object["prefix"]?.string.flatMap { NumberPrefix($0) }
    }

    static func closing(_ body: [UInt8]) -> (prefix: NumberPrefix, hours: Int)? {
        guard let object = try? JSONObject.parse(body), object.count == 2,
            let prefix = object["prefix"]?.string.flatMap({ NumberPrefix($0) }),
            let hours = object["hours"]?.integer.flatMap({ Int(exactly: $0) }), hours >= Self.hours.lowerBound,
            hours <= Self.hours.upperBound
        else { return nil }
        return (prefix, hours)
    }
}
