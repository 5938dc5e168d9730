internal import Text

/// Names of this machine, as in `Host` and in origins.
package enum LoopbackHost {
    private static let addresses = ["127.0.0.1", "[::1]"].map { Array($0.utf8) }

    /// Whether an authority in lower case, with or without a port, is this machine.
    package static func isOne(authority: String) -> Bool {
        isOne(authority.utf8[...])
    }

    /// Whether an origin, `scheme://host[:port]`, is on this machine. Web views of hybrid apps have their own schemes
    /// or names: `capacitor://localhost`, `ionic://localhost`, `http://tauri.localhost`.
    package static func isOne(origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.begins(with: scheme) {
            return isOne(origin.utf8.dropFirst(scheme.utf8.count))
        }
        guard WebOrigin.isOfApp(origin) else { return false }
        let scheme = origin.utf8.prefix { $0 != UInt8(ascii: ":") }
        return isOne(origin.utf8.dropFirst(scheme.count + "://".utf8.count))
    }

    private static func isOne(_ authority: Substring.UTF8View) -> Bool {
        let end = authority.first == UInt8(ascii: "[") ? authority.firstIndex(of: UInt8(ascii: "]")) : nil
        let searched = authority[(end ?? authority.startIndex)...]
        let host = authority[..<(searched.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex)]
        guard addresses.contains(where: host.elementsEqual) || LocalhostName.isOne(host) else { return false }
        let port = authority[host.endIndex...]
        return port.isEmpty || isPort(port.dropFirst())
    }

    /// 1 to 65535, in one to five digits.
    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        guard (1...5).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return (1...65_535).contains(text.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
}
