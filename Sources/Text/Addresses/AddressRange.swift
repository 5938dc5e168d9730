/// A range of IP addresses: `192.0.2.0/24`, `2001:db8::/32` (RFC 4632 section 3.1, RFC 4291 section 2.3).
package struct AddressRange: Sendable, Hashable {
    package enum Defect: Error, Sendable, Equatable {
        case form, length, hostBits

        package var reason: String {
            switch self {
            case .form: "is not a block of addresses such as 192.0.2.0/24 or 2001:db8::/32"
            case .length: "has a prefix length out of range"
            case .hostBits: "has bits set after its prefix"
            }
        }
    }

    /// The first address.
    package let first: IPAddress
    /// The prefix length in the 128-bit form of both kinds of address: an IPv4 range has 96 or more.
    package let length: Int

    /// - Throws: the first rule that the text breaks; `.form` also for a plain address.
    package init(_ text: String) throws(Defect) {
        let bytes = text.utf8
        guard bytes.count <= IPAddress.maxTextBytes + 4, let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            let address = IPAddress(text[..<slash]), let written = Self.length(bytes[bytes.index(after: slash)...])
        else { throw .form }
        let isDotted = !bytes[..<slash].contains(UInt8(ascii: ":"))
        guard written <= (isDotted ? 32 : 128) else { throw .length }
        self.init(of: address, length: isDotted ? 96 + written : written)
        guard first == address else { throw .hostBits }
    }

    /// The range with that prefix length that contains the address.
    ///
    /// - Parameter length: 0 to 128, in the 128-bit form.
    package init(of address: IPAddress, length: Int) {
        first = address.masked(to: length)
        self.length = length
    }

    /// Exactly one address.
    package init(only address: IPAddress) {
        self.init(of: address, length: 128)
    }

    /// Whether the address is in the range. A wide IPv6 range such as `::/0` contains no IPv4 address.
    package func contains(_ address: IPAddress) -> Bool {
        address.masked(to: length) == first && (length >= 96 || !address.isIPv4)
    }

    /// Such as `10.0.0.0/8`; for a single address, without a length.
    package var text: String {
        if length == 128 { return first.text }
        return "\(first.text)/\(first.isIPv4 ? length - 96 : length)"
    }

    /// One to three digits without a leading zero.
    private static func length(_ text: Substring.UTF8View) -> Int? {
        guard (1...3).contains(text.count), text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            text.count == 1 || text.first != UInt8(ascii: "0")
        else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
