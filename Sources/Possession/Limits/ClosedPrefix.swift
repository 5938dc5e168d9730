/// A prefix of numbers that an operator has closed: they get no messages. It holds for all API clients.
package struct ClosedPrefix: Sendable, Equatable {
    /// For example `+1206`; it may be shorter or longer.
    package let prefix: NumberPrefix
    package let until: Timestamp

    package init(prefix: NumberPrefix, until: Timestamp) {
        self.prefix = prefix
        self.until = until
    }
}

/// The beginning of a number.
package struct NumberPrefix: Sendable, Hashable {
    package let text: String

    /// - Parameter text: `+` and 1 to 11 digits.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), (1...11).contains(digits.count),
            digits.allSatisfy({ $0 >= 48 && $0 <= 57 })
        else { return nil }
        self.text = text
    }

    package func begins(_ number: PhoneNumber) -> Bool { number.e164.utf8.starts(with: text.utf8) }
}

/// A prefix or a country in which an API client's budget for unknown callers is used up.
package struct ExhaustedPlace: Sendable, Equatable {
    package let client: ClientID
    /// `+1206555` or `US`.
    package let place: String
    package let since: Timestamp

    package init(client: ClientID, place: String, since: Timestamp) {
        self.client = client
        self.place = place
        self.since = since
    }

    package var isCountry: Bool { place.utf8.first != UInt8(ascii: "+") }

    /// The key that counts messages to this place.
    package var key: LimitKey { LimitKey(isCountry ? .country : .prefix, of: client, Array(place.utf8)) }
}
