internal import Possession
internal import StrictJSON

/// Bodies of the orders: `{"prefix":"+1206555","hours":12}`, `{"client":"shop"}`.
enum GuardOrders {
    /// At most a week.
    static let hours = 1...168

    static func body(_ prefix: NumberPrefix, hours: Int?) -> [UInt8] {
        var object: JSONObject = ["prefix": .string(prefix.text)]
        object.set("hours", hours)
        return object.serialized()
    }

    static func body(_ client: ClientID?) -> [UInt8] {
        var object = JSONObject()
        object.set("client", client?.text)
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

    /// - Returns: the client to reset; the inner `nil`: all clients. The outer `nil`: the body is not such an order.
    static func reset(_ body: [UInt8]) -> ClientID?? {
        guard let object = try? JSONObject.parse(body) else { return nil }
        if object.isEmpty { return .some(nil) }
        guard object.count == 1, let id = object["client"]?.string.flatMap({ ClientID($0) }) else { return nil }
        return id
    }
}
