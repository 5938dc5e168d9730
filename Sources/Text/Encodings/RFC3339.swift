/// Times as text: `2026-01-01T10:15:00Z` (RFC 3339), in UTC.
package enum RFC3339 {
    /// Years outside 0 to 9999 do not occur: the sandbox clock is limited.
    /// - Parameters:
    ///   - milliseconds: since 1970.
    ///   - showsMilliseconds: `false`: fractions of a second are dropped.
    package static func text(milliseconds: Int64, showsMilliseconds: Bool = false) -> String {
        let seconds = floorDivide(milliseconds, by: 1000)
        let days = floorDivide(seconds, by: 86_400)
        let second = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(date.year, digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.day, digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        append(second / 3600, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(second / 60 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(second % 60, digits: 2, to: &text)
        if showsMilliseconds {
            text.append(UInt8(ascii: "."))
            append(milliseconds - seconds * 1000, digits: 3, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The time of a text such as `2026-01-01T10:15:00Z` or `2026-01-01T11:15:00.25+01:00`, in milliseconds since 1970;
    /// smaller fractions are dropped. A leap second counts as the next second. `nil`: the text is not RFC 3339.
    package static func milliseconds(_ text: some Sequence<UInt8>) -> Int64? {
        var parts = TimeParts(Array(text.prefix(40)))
        guard let year = parts.number(4), parts.take("-"), let month = parts.number(2), parts.take("-"),
            let day = parts.number(2), parts.take("T") || parts.take("t") || parts.take(" "),
            let hour = parts.number(2), parts.take(":"), let minute = parts.number(2), parts.take(":"),
            let second = parts.number(2), let fraction = parts.milliseconds(), let offset = parts.offsetMinutes(),
            parts.isAtEnd, (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour <= 23,
            minute <= 59, second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        return (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + fraction
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The inverse of `CivilDate`.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Parses a text from its start.
private struct TimeParts {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Exactly `digits` digits.
    mutating func number(_ digits: Int) -> Int64? {
        guard bytes.count - position >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<position + digits] {
            guard byte >= 48, byte <= 57 else { return nil }
            value = value * 10 + Int64(byte - 48)
        }
        position += digits
        return value
    }

    /// A fraction of one digit or more; 0 if there is none.
    mutating func milliseconds() -> Int64? {
        guard take(".") else { return 0 }
        var (value, scale): (Int64, Int64) = (0, 100)
        guard position < bytes.count, bytes[position] >= 48, bytes[position] <= 57 else { return nil }
        while let digit = number(1) {
            value += digit * scale
            scale /= 10
        }
        return value
    }

    mutating func offsetMinutes() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isAhead = take("+")
        guard isAhead || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours <= 23,
            minutes <= 59
        else { return nil }
        return (hours * 60 + minutes) * (isAhead ? 1 : -1)
    }
}

/// A day of the Gregorian calendar, computed in eras of 400 years (Hinnant, "chrono-compatible low-level date
/// algorithms").
private struct CivilDate {
    let year: Int64
    let month: Int64
    let day: Int64

    init(daysSince1970: Int64) {
        // Days are counted from 1 March of year 0, so that the leap day is the last of its year.
        let shifted = daysSince1970 + 719_468
        let era = floorDivide(shifted, by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }
}

private func floorDivide(_ number: Int64, by divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : (number - divisor + 1) / divisor
}

private func append(_ number: Int64, digits: Int, to text: inout [UInt8]) {
    var scale: Int64 = 1
    for _ in 1..<digits { scale *= 10 }
    while scale > 0 {
        text.append(48 + UInt8(truncatingIfNeeded: abs(number / scale % 10)))
        scale /= 10
    }
}
