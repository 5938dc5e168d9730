package import HTTPServer
internal import Text

/// Decides whether a caller prefers a page to JSON (RFC 9110 section 12.5.1).
///
/// Browsers name `text/html`; programs name `application/json`, `*/*`, or nothing. If both have the same weight, the
/// caller is a program.
package enum AcceptedForm {
    package static func isPage(_ headers: Headers) -> Bool {
        var (page, json): (Int?, Int?) = (nil, nil)
        // A more specific range takes precedence over a wider one, regardless of its weight.
        var jsonRank = 0
        for field in headers.allBytes("accept") {
            for range in field.split(separator: UInt8(ascii: ",")) {
                let parts = range.split(separator: UInt8(ascii: ";"))
                guard let name = parts.first?.trimmingBlanks() else { continue }
                let weight = weight(parts.dropFirst())
                if name.isSameIgnoringCase(as: "text/html") { page = weight }
                let rank = rank(name)
                if rank > jsonRank { (json, jsonRank) = (weight, rank) }
            }
        }
        guard let page, page > 0 else { return false }
        return page > json ?? 0
    }

    /// How specifically a range names JSON; 0: it does not match.
    private static func rank(_ name: ArraySlice<UInt8>) -> Int {
        if name.isSameIgnoringCase(as: "application/json") { return 3 }
        if name.isSameIgnoringCase(as: "application/*") { return 2 }
        return name.isSame(as: "*/*") ? 1 : 0
    }

    /// `q` in thousandths. An invalid weight counts as 0, so that no program gets a page by mistake.
    private static func weight(_ parameters: ArraySlice<ArraySlice<UInt8>>) -> Int {
        for parameter in parameters {
            let text = parameter.trimmingBlanks()
            guard text.first == UInt8(ascii: "q") || text.first == UInt8(ascii: "Q") else { continue }
            let value = text.dropFirst().trimmingBlanks()
            guard value.first == UInt8(ascii: "=") else { continue }
            return thousandths(value.dropFirst().trimmingBlanks())
        }
        return 1000
    }

    /// `0`, `1`, or either with up to three decimals.
    private static func thousandths(_ text: ArraySlice<UInt8>) -> Int {
        guard let first = text.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), text.count <= 5 else {
            return 0
        }
        var value = Int(first - UInt8(ascii: "0")) * 1000
        var unit = 100
        for (offset, byte) in text.dropFirst().enumerated() {
            if offset == 0 {
                guard byte == UInt8(ascii: ".") else { return 0 }
                continue
            }
            guard (48...57).contains(byte) else { return 0 }
            value += Int(byte - 48) * unit
            unit /= 10
        }
        return min(value, 1000)
    }
}
