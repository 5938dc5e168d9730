/// The normal form of a URL, which is the same for all its spellings (RFC 3986 sections 6.2.2 and 6.2.3): scheme and
/// host in lower case, no default port, no unnecessary escape, no dot segment, `/` for an empty path. Without query and
/// fragment.
///
/// Two URLs with the same normal form name the same resource. A slash at the end is significant.
package struct NormalURL: Sendable, Equatable {
    private let bytes: [UInt8]

    /// `nil` unless it begins with a scheme, `://` and a host, and all escapes are valid.
    package init?(_ text: String) {
        let plain = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let scheme = plain.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercasedASCII)
        let mark = Array("://".utf8)
        guard !scheme.isEmpty, plain.dropFirst(scheme.count).starts(with: mark) else { return nil }
        let rest = plain.dropFirst(scheme.count + mark.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        guard !authority.isEmpty, let path = Self.path(rest.dropFirst(authority.count)) else { return nil }
        bytes = scheme + mark + Self.host(authority, scheme) + path
    }

    private static func host(_ authority: Substring.UTF8View, _ scheme: [UInt8]) -> [UInt8] {
        let lower = authority.map(\.lowercasedASCII)
        guard let colon = lower.lastIndex(of: UInt8(ascii: ":")), !lower[colon...].contains(UInt8(ascii: "]")) else {
            return lower
        }
        let port = lower[(colon + 1)...]
        let isDefault =
            port.isEmpty || scheme.isSame(as: "https") && port.isSame(as: "443")
            || scheme.isSame(as: "http") && port.isSame(as: "80")
        return isDefault ? Array(lower[..<colon]) : lower
    }

    /// `nil` for an incomplete or wrong escape.
    private static func path(_ path: Substring.UTF8View) -> [UInt8]? {
        var segments: [[UInt8]] = []
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (place, part) in parts.enumerated() {
            guard let segment = unescaped(part) else { return nil }
            let isLast = place == parts.count - 1
            switch segment {
            case Array(".".utf8): if isLast { segments.append([]) }
            case Array("..".utf8):
                _ = segments.popLast()
                if isLast { segments.append([]) }
            default: segments.append(segment)
            }
        }
        if segments.isEmpty { segments = [[]] }
        return segments.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    /// Decodes escapes of unreserved characters, and writes the others with capital digits.
    private static func unescaped(_ part: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = part.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { return nil }
            let character = high << 4 | low
            bytes += character.isUnreserved ? [character] : PercentCoding.escape(character)
        }
        return bytes
    }
}
