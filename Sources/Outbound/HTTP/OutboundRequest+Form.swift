internal import Text

extension OutboundRequest {
    /// Header fields that the client sets itself.
    static let ownFields: Set = ["host", "content-length", "transfer-encoding", "connection", "expect"]

    /// The rule that the call breaks; it is then not sent. libcurl itself would take a text without a scheme as a host
    /// name, and would send line ends in a header unchanged.
    var defect: String? {
        if envelope != nil { return isMail ? nil : "the URL is none of mail" }
        guard isHTTP else { return "the URL is no HTTP URL" }
        guard !method.isEmpty, method.utf8.allSatisfy({ $0.isTokenByte }) else { return "the method is none" }
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy({ $0.isTokenByte }),
                header.value.utf8.allSatisfy(HTTPText.isTextByte)
            else { return "a header has a wrong form" }
            guard !Self.ownFields.contains(header.name.lowercased()) else { return "a header is the client's own" }
        }
        return nil
    }

    /// `http` or `https`, and a host of visible ASCII. libcurl checks the rest.
    private var isHTTP: Bool { has(scheme: ["https://", "http://"]) }
    private var isMail: Bool { has(scheme: ["smtps://", "smtp://"]) }

    private func has(scheme schemes: [String]) -> Bool {
        let bytes = Array(url.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        for scheme in schemes where bytes.starts(with: scheme.utf8) {
            return bytes.dropFirst(scheme.utf8.count).first.map { !"/?#".utf8.contains($0) } ?? false
        }
        return false
    }

    /// The scheme, host and port of the URL: the same for calls that can share a connection.
    var peer: String {
        let bytes = Array(url.utf8)
        let start = bytes.firstIndex(of: UInt8(ascii: ":")).map { $0 + 3 } ?? 0
        let authority = bytes.dropFirst(start).prefix { !"/?#".utf8.contains($0) }
        return String(decoding: bytes[..<authority.endIndex], as: UTF8.self)
    }

    /// The name to look up before the call is sent, within its API client's limit; `nil`: the host is an address, a
    /// proxy looks it up, or the operator has chosen it.
    var soughtName: (name: ByteText, port: Int)? {
        guard client != nil, addresses.areChecked else { return nil }
        let isSecure = url.utf8.starts(with: "https://".utf8)
        let authority = peer.utf8.dropFirst(isSecure ? 8 : 7)
        guard authority.first != UInt8(ascii: "[") else { return nil }
        let name = authority.prefix { $0 != UInt8(ascii: ":") }
        let port = Int(String(decoding: authority.dropFirst(name.count + 1), as: UTF8.self)) ?? (isSecure ? 443 : 80)
        let lower = String(decoding: name.map { (65...90).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return IPAddress(lower) == nil ? (ByteText(lower), port) : nil
    }

    /// The URL without a dot at the end of its host name. libcurl 7.88 does not find addresses that were set for a name
    /// with such a dot.
    var urlWithoutLastDot: String {
        let bytes = Array(url.utf8)
        let start = min(bytes.count, (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0) + 3)
        let end = bytes[start...].firstIndex { ":/?#".utf8.contains($0) } ?? bytes.endIndex
        guard end > start, bytes[end - 1] == UInt8(ascii: ".") else { return url }
        return String(decoding: bytes[..<(end - 1)] + bytes[end...], as: UTF8.self)
    }

    /// In libcurl's form: a name without a value removes the header that libcurl would add.
    var lines: [String] {
        var lines = headers.map { $0.value.isEmpty ? $0.name + ";" : $0.name + ": " + $0.value }
        for own in ["Accept", "Content-Type", "Expect"] where !has(own.lowercased()) { lines.append(own + ":") }
        return lines
    }

    private func has(_ name: String) -> Bool {
        headers.contains { $0.name.lowercased() == name }
    }
}
