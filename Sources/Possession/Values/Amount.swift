internal import Text

/// An amount of money as callers write it: digits with at most one decimal point and no sign. Superfluous zeros do not
/// count: `12.5`, `12.50` and `012.50` are the same amount.
package struct Amount: Sendable, Equatable {
    private static let maxBytes = 24

    /// The same text for equal amounts.
    package let text: String

    /// `nil` if the text is not an amount.
    package init?(_ text: String) {
        guard (1...Self.maxBytes).contains(text.utf8.count) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }) else {
            return nil
        }
        let zero = UInt8(ascii: "0")
        let whole = parts[0].drop { $0 == zero }
        var fraction = parts.count == 2 ? Array(parts[1]) : []
        while fraction.last == zero { fraction.removeLast() }
        self.text =
            (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
            + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    package static func == (left: Amount, right: Amount) -> Bool { left.text.isSame(as: right.text) }
}

/// A payment that a person approves by a code: the amount, its currency, and the payee.
package struct PaymentOrder: Sendable, Equatable {
    private static let maxPayeeBytes = 256

    package let amount: Amount
    /// ISO 4217: three capital letters.
    package let currency: String
    package let payee: String

    /// `nil` if a part is invalid.
    package init?(amount: Amount, currency: String, payee: String) {
        guard currency.utf8.count == 3, currency.utf8.allSatisfy({ (65...90).contains($0) }),
            (1...Self.maxPayeeBytes).contains(payee.utf8.count)
        else { return nil }
        self.amount = amount
        self.currency = currency
        self.payee = payee
    }

    package static func == (left: PaymentOrder, right: PaymentOrder) -> Bool {
        left.bytes == right.bytes
    }

    /// The same bytes for equal orders.
    package var bytes: [UInt8] {
        Array(amount.text.utf8) + [0] + Array(currency.utf8) + [0] + Array(payee.utf8)
    }
}
