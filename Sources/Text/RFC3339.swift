/// Moments as text: `2026-01-01T10:15:00Z` (RFC 3339), in UTC.
package enum RFC3339 {
    /// Years outside 0 to 9999 do not occur: the sandbox clock is bounded.
    /// - Parameters:
    ///   - milliseconds: since 1970.
    ///   - showsMilliseconds: else parts of a second are dropped.
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
}

/// A day of the Gregorian calendar, by the counting of eras of 400 years (Hinnant, "chrono-compatible low-level date
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
