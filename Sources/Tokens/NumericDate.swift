internal import StrictJSON
internal import Text

/// A NumericDate (RFC 7519 section 2): seconds since 1970, possibly with a fraction, as clocks of Swift and Python
/// give.
enum NumericDate {
    /// Later times, some 35,000 years from now, are refused, so that sums do not overflow.
    private static let latest: Int64 = 1 << 40
    private static let longestText = 64

    /// The whole seconds; `nil` for anything except a number from 0 to `latest`.
    static func seconds(_ value: JSONValue?) -> Int64? {
        switch value {
        case .integer(let seconds)?: (0...latest).contains(seconds) ? seconds : nil
        case .number(let text)?: seconds(of: text)
        default: nil
        }
    }

    /// The same for a text that this server has signed, which has no fractions.
    static func whole(_ value: JSONValue?) -> Int64? { value?.integer == nil ? nil : seconds(value) }

    /// Rounds down. `text` is a JSON number that is not a 64-bit integer.
    private static func seconds(of text: String) -> Int64? {
        guard text.utf8.count <= longestText, text.utf8.first != UInt8(ascii: "-") else { return nil }
        let mantissa = text.utf8.prefix { $0.lowercasedASCII != UInt8(ascii: "e") }
        var exponent = 0
        if mantissa.count < text.utf8.count {
            guard let read = Int(Substring(text.utf8.dropFirst(mantissa.count + 1))), abs(read) <= longestText else {
                return nil
            }
            exponent = read
        }
        let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }
        let digits = Array(whole) + Array(mantissa.dropFirst(whole.count + 1))
        var seconds: Int64 = 0
        for place in 0..<max(0, whole.count + exponent) {
            seconds = seconds * 10 + (place < digits.count ? Int64(digits[place] - UInt8(ascii: "0")) : 0)
            guard seconds <= latest else { return nil }
        }
        return seconds
    }
}
