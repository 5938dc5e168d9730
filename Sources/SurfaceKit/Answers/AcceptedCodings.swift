package import HTTPServer
internal import Text

/// A content coding of an answer, by its name in `Content-Encoding` (RFC 9110 section 8.4.1).
package enum ContentCoding: String, Sendable, CaseIterable {
    /// RFC 7932.
    case brotli = "br"
    case gzip
}

/// The content codings that a caller accepts, and their weights (`Accept-Encoding`, RFC 9110 section 12.5.3).
package struct AcceptedCodings: Sendable {
    /// Weights in thousandths; `nil`: not named.
    private var brotli: Int?
    private var gzip: Int?
    private var identity: Int?
    private var others: Int?

    package init(_ headers: Headers) {
        for field in headers.allBytes("accept-encoding") {
            for element in field.split(separator: UInt8(ascii: ",")) { take(element) }
        }
    }

    /// The coding with the highest weight among `codings`, the first of equals; `nil`: the caller accepts none of them,
    /// or prefers the bytes without a coding. A caller without the header field formally accepts any coding, but some
    /// such callers cannot decode one.
    package func best(of codings: [ContentCoding]) -> ContentCoding? {
        var best: (coding: ContentCoding, weight: Int)?
        for coding in codings {
            guard let weight = weight(of: coding), weight > 0, weight >= identity ?? 0 else { continue }
            if weight > best?.weight ?? 0 { best = (coding, weight) }
        }
        return best?.coding
    }

    private func weight(of coding: ContentCoding) -> Int? {
        switch coding {
        case .brotli: brotli ?? others
        case .gzip: gzip ?? others
        }
    }

    private mutating func take(_ element: ArraySlice<UInt8>) {
        let parts = element.split(separator: UInt8(ascii: ";"), maxSplits: 1)
        guard let name = parts.first?.trimmingBlanks() else { return }
        // An invalid weight is ignored, together with its coding.
        guard let weight = parts.count == 1 ? 1000 : QualityWeight.thousandths(parts[1].trimmingBlanks()) else {
            return
        }
        if name.isSameIgnoringCase(as: "gzip") || name.isSameIgnoringCase(as: "x-gzip") {
            gzip = weight
        } else if name.isSameIgnoringCase(as: "br") {
            brotli = weight
        } else if name.isSameIgnoringCase(as: "identity") {
            identity = weight
        } else if name.isSame(as: "*") {
            others = weight
        }
    }
}
