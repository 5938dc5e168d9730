package import HTTPServer
internal import Text

/// Which content codings a caller takes, and how gladly (`Accept-Encoding`, RFC 9110 section 12.5.3).
package struct AcceptedCodings: Sendable {
    /// In thousandths; `nil`: not named.
    private var gzip: Int?
    private var identity: Int?
    private var others: Int?

    package init(_ headers: Headers) {
        for field in headers.allBytes("accept-encoding") {
            for element in field.split(separator: UInt8(ascii: ",")) { take(element) }
        }
    }

    /// Whether gzip may be sent, and nothing else is liked better. A caller who names no coding takes any, but some of those
    /// cannot undo one.
    package var prefersGzip: Bool {
        guard let weight = gzip ?? others, weight > 0 else { return false }
        return weight >= identity ?? 0
    }

    private mutating func take(_ element: ArraySlice<UInt8>) {
        let parts = element.split(separator: UInt8(ascii: ";"), maxSplits: 1)
        guard let name = parts.first?.trimmingBlanks() else { return }
        // A weight that is none says nothing of the coding.
        guard let weight = parts.count == 1 ? 1000 : QualityWeight.thousandths(parts[1].trimmingBlanks()) else {
            return
        }
        if name.isSameIgnoringCase(as: "gzip") || name.isSameIgnoringCase(as: "x-gzip") {
            gzip = weight
        } else if name.isSameIgnoringCase(as: "identity") {
            identity = weight
        } else if name.isSame(as: "*") {
            others = weight
        }
    }
}
