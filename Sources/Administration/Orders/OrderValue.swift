internal import Possession
internal import StrictJSON
internal import Text

/// The form of a member's value in JSON, for both directions. `read` gives `nil` for a value that is not allowed.
struct OrderValue<Value: Sendable>: Sendable {
    let read: @Sendable (JSONValue) -> Value?
    let write: @Sendable (Value) -> JSONValue

    static func text(
        _ read: @escaping @Sendable (String) -> Value?, _ write: @escaping @Sendable (Value) -> String
    ) -> OrderValue {
        OrderValue(read: { $0.string.flatMap(read) }, write: { .string(write($0)) })
    }
}

extension OrderValue where Value == String {
    static func text(_ isRight: @escaping @Sendable (String) -> Bool = { _ in true }) -> OrderValue {
        .text({ isRight($0) ? $0 : nil }, { $0 })
    }
}

extension OrderValue where Value == Secret {
    static var secret: OrderValue { .text({ Secret($0) }, { $0.text }) }
}

extension OrderValue where Value == ClientID {
    static var client: OrderValue { .text({ ClientID($0) }, { $0.text }) }
}

extension OrderValue where Value == PhoneNumber {
    static var phoneNumber: OrderValue { .text({ PhoneNumber(e164: $0) }, { $0.e164 }) }
}

extension OrderValue where Value == OTP {
    static var code: OrderValue { .text({ OTP($0) }, { $0.text }) }
}

extension OrderValue where Value == NumberPrefix {
    static var prefix: OrderValue { .text({ NumberPrefix($0) }, { $0.text }) }
}

extension OrderValue where Value: Identifier {
    static var identifier: OrderValue { .text({ Value($0) }, { $0.text }) }
}

extension OrderValue where Value: RawRepresentable<String> {
    /// One of the values.
    static var choice: OrderValue { .text({ Value(rawValue: $0) }, { $0.rawValue }) }
}

extension OrderValue where Value == Bool {
    static var flag: OrderValue { OrderValue(read: { $0.bool }, write: { .bool($0) }) }
}

extension OrderValue where Value == Int64 {
    static var atLeastZero: OrderValue {
        OrderValue(read: { $0.integer.flatMap { $0 >= 0 ? $0 : nil } }, write: { .integer($0) })
    }
}

extension OrderValue where Value == Int {
    static func integer(_ range: ClosedRange<Int> = Int.min...Int.max) -> OrderValue {
        OrderValue(
            read: { $0.integer.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil } },
            write: { .integer(Int64($0)) })
    }
}
