internal import Text

/// Names of this machine as they stand in `Host` and in origins.
package enum LoopbackHost {
    private static let names = ["127.0.0.1", "localhost", "[::1]"]

    /// Whether a lower-case authority, with or without port, is this machine.
    package static func isOne(authority: String) -> Bool {
        isOne(authority.utf8[...])
    }

    /// Whether an origin, `scheme://host[:port]`, is on this machine. Web views of hybrid apps have schemes of their own:
    /// `capacitor://localhost`, `ionic://localhost`, `tauri://localhost`.
    package static func isOne(origin: String) -> Bool {
        for scheme in ["http://", "https://"] where origin.begins(with: scheme) {
            return isOne(origin.utf8.dropFirst(scheme.utf8.count))
        }
        guard WebOrigin.isOfApp(origin) else { return false }
        let scheme = origin.utf8.prefix { $0 != UInt8(ascii: ":") }
        return isOne(origin.utf8.dropFirst(scheme.count + "://".utf8.count))
    }

    private static func isOne(_ authority: Substring.UTF8View) -> Bool {
        guard let name = names.first(where: { authority.begins(with: $0) }) else { return false }
        let rest = authority.dropFirst(name.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst())
    }

    /// 1 to 65535, in one to five digits.
    private static func isPort(_ text: Substring.UTF8View) -> Bool {
        guard (1...5).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return (1...65_535).contains(text.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }
}
