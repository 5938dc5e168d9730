/// An IPv4 or IPv6 address as 16 bytes; IPv4 stands in its IPv4-mapped form, so that the two spellings of one address
/// are equal (RFC 4291 section 2.5.5.2).
package struct IPAddress: Sendable, Hashable {
    package let bytes: [UInt8]

    /// `nil` unless dotted decimal without leading zeros, or RFC 4291 section 2.2 text without a zone.
    package init?(_ text: some StringProtocol) {
        if let four = Self.dotted(text) {
            bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
        } else if let sixteen = Self.colons(text) {
            bytes = sixteen
        } else {
            return nil
        }
    }

    private static func dotted(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            let isPlain = (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
            guard isPlain, part.utf8.count == 1 || part.utf8.first != 48, let byte = UInt8(part) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func colons(_ text: some StringProtocol) -> [UInt8]? {
        guard let gap = text.firstRange(of: "::") else {
            guard let bytes = groups(text[...]), bytes.count == 16 else { return nil }
            return bytes
        }
        // One gap, which stands for at least one group.
        guard let head = groups(text[..<gap.lowerBound], mayEndDotted: false),
            let tail = groups(text[gap.upperBound...]),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Groups of 1 to 4 hexadecimal digits; the last one may be an IPv4 address. Nothing at all is no group.
    private static func groups(_ text: some StringProtocol, mayEndDotted: Bool = true) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndDotted, index == parts.count - 1, part.contains(".") {
                guard let four = dotted(part) else { return nil }
                bytes += four
                continue
            }
            let isHex = part.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...70, 97...102: true
                default: false
                }
            }
            guard (1...4).contains(part.utf8.count), isHex, let group = UInt16(part, radix: 16) else { return nil }
            bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
        }
        return bytes
    }
}
