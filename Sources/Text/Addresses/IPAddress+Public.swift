extension IPAddress {
    /// Whether the address is on the public Internet, so that another party may make this server call it. Excluded:
    /// addresses of this machine, private networks, links, documentation, multicast, and reserved ones (RFC 6890 and
    /// the IANA registries of special-purpose addresses).
    package var isPublic: Bool {
        if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
        // A translator (RFC 6052) forwards it to the IPv4 address at its end.
        if high == Self.translatedHigh, low >> 32 == 0 {
            return IPAddress(high: 0, low: 0xFFFF_0000_0000 | low).isPublic
        }
        // Unicast addresses are assigned only from 2000::/3 (RFC 4291 section 2.4).
        return high >> 61 == 1 && !Self.specialIPv6.contains { $0.contains(self) }
    }

    private static let translatedHigh: UInt64 = 0x0064_FF9B_0000_0000

    /// Includes one that the registries call public: 168.63.129.16 is the host's agent on an Azure machine.
    private static let specialIPv4 = ranges(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "168.63.129.16/32", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3")

    /// Teredo and other protocols, documentation, and 6to4, which contains an IPv4 address.
    private static let specialIPv6 = ranges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    private static func ranges(_ texts: String...) -> [AddressRange] {
        texts.map { text in
            do throws(AddressRange.Defect) { return try AddressRange(text) } catch {
                preconditionFailure("\(text) \(error.reason)")
            }
        }
    }
}
