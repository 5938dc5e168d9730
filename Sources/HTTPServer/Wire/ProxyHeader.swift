internal import Text

/// The header that a proxy sends first on a connection, to name the client: PROXY protocol, versions 1 and 2 (HAProxy,
/// `doc/proxy-protocol.txt`).
///
///     PROXY TCP4 198.51.100.1 203.0.113.9 5555 443\r\n
enum ProxyHeader: Equatable {
    /// The bytes begin a header; more must arrive.
    case partial
    /// `bytes`: its length. `client`: `nil` if the proxy speaks for itself, or knows no address.
    case whole(bytes: Int, client: IPAddress?)
    case malformed

    /// The longest header that is read, in bytes. Version 2 allows more, but proxies do not send that much.
    static let mostBytes = 4096

    private static let mostBytesOfVersion1 = 107
    private static let start1 = Array("PROXY ".utf8)
    private static let start2: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// - Parameter bytes: the first bytes of a connection; they may continue after the header.
    static func read(_ bytes: [UInt8]) -> ProxyHeader {
        if begins(bytes, start2) { return version2(bytes) }
        if begins(bytes, start1) { return version1(bytes) }
        return .malformed
    }

    private static func begins(_ bytes: [UInt8], _ start: [UInt8]) -> Bool {
        bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count))
    }

    private static func version1(_ bytes: [UInt8]) -> ProxyHeader {
        let line = bytes.prefix(mostBytesOfVersion1)
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
            return line.count < mostBytesOfVersion1 ? .partial : .malformed
        }
        guard end >= start1.count, line[end - 1] == UInt8(ascii: "\r") else { return .malformed }
        let fields = line[start1.count..<(end - 1)]
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard let family = fields.first else { return .malformed }
        if family.isSame(as: "UNKNOWN") { return .whole(bytes: end + 1, client: nil) }
        guard fields.count == 5, fields[3...].allSatisfy(isPort),
            let client = address(fields[1]), let server = address(fields[2]),
            client.isIPv4 == server.isIPv4,
            client.isIPv4 ? family.isSame(as: "TCP4") : family.isSame(as: "TCP6")
        else { return .malformed }
        return .whole(bytes: end + 1, client: client)
    }

    private static func address(_ text: ArraySlice<UInt8>) -> IPAddress? {
        guard text.count <= IPAddress.maxTextBytes else { return nil }
        return IPAddress(String(decoding: text, as: UTF8.self))
    }

    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        (1...5).contains(text.count) && text.allSatisfy { (48...57).contains($0) }
            && text.reduce(0) { $0 * 10 + Int($1 - 48) } <= 65_535
    }

    private static func version2(_ bytes: [UInt8]) -> ProxyHeader {
        guard bytes.count >= 16 else { return .partial }
        let length = 16 + Int(bytes[14]) << 8 + Int(bytes[15])
        guard bytes[12] >> 4 == 2, length <= mostBytes else { return .malformed }
        guard bytes.count >= length else { return .partial }
        switch bytes[12] & 0x0F {
        case 0: return .whole(bytes: length, client: nil)
        case 1: break
        default: return .malformed
        }
        let addresses = bytes[16..<length]
        switch bytes[13] {
        case 0x11 where addresses.count >= 12:
            let client = IPAddress(ipv4: (addresses[16], addresses[17], addresses[18], addresses[19]))
            return .whole(bytes: length, client: client)
        case 0x21 where addresses.count >= 36:
            return .whole(bytes: length, client: IPAddress(ipv6: addresses.prefix(16)))
        // Not an address of a TCP client: the connection counts as the proxy's own.
        case 0x00, 0x31, 0x32: return .whole(bytes: length, client: nil)
        default: return .malformed
        }
    }
}
