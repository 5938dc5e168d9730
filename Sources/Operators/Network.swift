internal import Possession

/// A block of addresses: `192.0.2.0/24`, `2001:db8::/32` (RFC 4632 section 3.1, RFC 4291 section 2.3).
package struct Network: Sendable, Hashable {
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

    /// In the 16-byte form that both kinds of address share.
    let bytes: [UInt8]
    /// Counted in that form: an IPv4 block has 96 or more.
    let length: Int

    package init(_ text: String) throws(Defect) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(parts[0]), let written = Self.length(parts[1]) else {
            throw .form
        }
        let isDotted = !parts[0].contains(":")
        guard written <= (isDotted ? 32 : 128) else { throw .length }
        length = isDotted ? 96 + written : written
        bytes = Self.masked(address.bytes, to: length)
        guard bytes == address.bytes else { throw .hostBits }
    }

    /// The network of that length which holds the address.
    init(of address: IPAddress, length: Int) {
        bytes = Self.masked(address.bytes, to: length)
        self.length = length
    }

    /// One to three digits without a leading zero.
    private static func length(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
            text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(text)
    }

    private static func masked(_ bytes: [UInt8], to length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }
}
