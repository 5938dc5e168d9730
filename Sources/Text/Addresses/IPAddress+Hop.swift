extension IPAddress {
    /// The address of one hop in `X-Forwarded-For`: plain, with a port, or in brackets.
    ///
    ///     203.0.113.9   203.0.113.9:4711   2001:db8::9   [2001:db8::9]   [2001:db8::9]:4711   ::ffff:203.0.113.9
    ///
    /// - Returns: `nil` for anything else, including `unknown` and obfuscated names (RFC 7239 section 6).
    package init?(hop: Span<UInt8>) {
        // An address plus brackets, a colon and five digits.
        guard (2...Self.maxTextBytes + 8).contains(hop.count) else { return nil }
        let colon = UInt8(ascii: ":")
        if hop[0] == UInt8(ascii: "[") {
            guard let end = hop.indices.first(where: { hop[$0] == UInt8(ascii: "]") }) else { return nil }
            let rest = hop.extracting((end + 1)...)
            guard rest.isEmpty || rest[0] == colon && Self.isPort(rest.extracting(1...)) else { return nil }
            let inner = hop.extracting(1..<end)
            guard inner.indices.contains(where: { inner[$0] == colon }) else { return nil }
            self.init(utf8: inner)
            return
        }
        let colons = hop.indices.filter { hop[$0] == colon }
        if colons.count == 1, let start = colons.first {
            guard Self.isPort(hop.extracting((start + 1)...)) else { return nil }
            self.init(utf8: hop.extracting(..<start))
        } else {
            self.init(utf8: hop)
        }
    }

    /// The address of a person's device, as a caller states it: the same forms, possibly with blanks around it.
    package init?(hint text: String) {
        let hop = Array(text.utf8)[...].trimmingBlanks()
        self.init(hop: hop.span)
    }

    /// One to five digits.
    private static func isPort(_ text: Span<UInt8>) -> Bool {
        (1...5).contains(text.count) && text.indices.allSatisfy { text[$0] >= 0x30 && text[$0] <= 0x39 }
    }
}
