internal import HTTPServer
@testable import SurfaceKit
internal import Text

extension FuzzTarget {
    /// Values of single header fields: the first byte says which.
    static let fields = FuzzTarget("fields", maxBytes: 1024) { bytes in
        var choices = Choices(bytes)
        switch choices.number(below: 5) {
        case 0: mediaType(Array(choices.rest))
        case 1: credentials(Array(choices.rest))
        case 2: accept(&choices)
        case 3: forwarded(&choices)
        default: origin(choices.text())
        }
    }

    private static func mediaType(_ value: [UInt8]) {
        guard let type = MediaType(value[...]) else { return }
        require(!type.name.contains(UInt8(ascii: ";")), "a name ends before a semicolon")
        require(type.charsets.reduce(type.name.count) { $0 + $1.count } <= value.count, "no more than was sent")
        // Another parameter changes nothing.
        let longer = MediaType(Array(value + ";x=\"\\\"y;\"".utf8)[...])
        if let longer { require(longer.charsets == type.charsets, "another parameter changes nothing") }
    }

    private static func credentials(_ value: [UInt8]) {
        let trimmed = value.trimmingBlanks()
        let credentials = Credentials(trimmed)
        let (bearer, dpop) = (credentials.token(of: "bearer"), credentials.token(of: "dpop"))
        require(bearer == nil || dpop == nil, "one scheme")
        for (token, scheme) in [(bearer, "BEARER"), (dpop, "DPoP")] {
            guard let token else { continue }
            require(!token.isEmpty && token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }, "one word")
            let written = Array("\(scheme)   \(token)".utf8)
            let again = Credentials(written[...])
            require((scheme == "DPoP" ? again.token(of: "dpop") : again.token(of: "bearer")) == token, "comes back")
        }
    }

    private static func accept(_ choices: inout Choices) {
        var fields: [(name: String, value: String)] = []
        while !choices.rest.isEmpty, fields.count < 8 { fields.append(("Accept", choices.text())) }
        let isPage = AcceptedForm.isPage(Headers(fields))
        // Several fields are one with commas between (RFC 9110 section 5.3).
        let joined = fields.map(\.value).joined(separator: ",")
        require(AcceptedForm.isPage(Headers([("Accept", joined)])) == isPage, "the same as one field")
        if isPage { require(joined.utf8.map(\.lowercasedASCII).holds("text/html"), "a page is asked for by name") }
    }

    private static func forwarded(_ choices: inout Choices) {
        guard let proxies = try? AddressRanges(list: "127.0.0.1,10.0.0.0/8,fd00::/8") else { return }
        let address = ClientAddress(trustedProxies: proxies)
        var fields: [(name: String, value: String)] = []
        while !choices.rest.isEmpty, fields.count < 8 { fields.append(("X-Forwarded-For", choices.text())) }
        let of = { (fields: [(name: String, value: String)]) in
            address.of(Request(method: .get, path: "/", headers: Headers(fields), peer: .loopback, id: "r"))
        }
        let found = of(fields)
        if let found { require(!proxies.contains(found), "no proxy of ours") }
        // Fields that a client writes in front of those of the proxies change nothing.
        if found != nil {
            require(of([("X-Forwarded-For", "192.0.2.9")] + fields) == found, "a forged hop changes nothing")
        }
        require(of(fields + [("X-Forwarded-For", "198.51.100.7")]) == IPAddress("198.51.100.7"), "the last hop counts")
    }

    /// A name under `.localhost` and a port.
    private static let longestAuthority = 253 + ":65535".utf8.count

    private static func origin(_ text: String) {
        if LoopbackHost.isOne(origin: text) {
            let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
            let rest = text.utf8.count - scheme.count
            require(scheme.count <= 64 && rest <= "://".utf8.count + longestAuthority, "a short origin")
        }
        if LoopbackHost.isOne(authority: text) { require(text.utf8.count <= longestAuthority, "a short authority") }
    }
}
