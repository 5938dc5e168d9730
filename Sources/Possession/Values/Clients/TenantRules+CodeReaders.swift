internal import Text

extension TenantRules {
    /// Whether an app or page belongs to the tenant. Any other one named in a message could read its code.
    /// - Parameter reader: the hash of an Android app, or the host of a page. A page's host must be `messageHost`, or
    ///   the host of an origin or of a link's target that the tenant has registered.
    package func registers(_ reader: String, on platform: Platform) -> Bool {
        switch platform {
        case .android: appHashes.contains { $0.isSame(as: reader) }
        case .web: hasPage(on: reader)
        case .ios: false
        }
    }

    private func hasPage(on host: String) -> Bool {
        if messageHost?.isSameIgnoringCase(as: host) == true { return true }
        if allowedOrigins.contains(where: { Self.host(ofOrigin: $0)?.isSameIgnoringCase(as: host) == true }) {
            return true
        }
        return finalTargetHosts.contains { registered in
            guard registered.begins(with: "*.") else { return registered.isSameIgnoringCase(as: host) }
            let suffix = registered.utf8.dropFirst()
            return host.utf8.count > suffix.count
                && String(decoding: host.utf8.suffix(suffix.count), as: UTF8.self)
                    .isSameIgnoringCase(as: String(decoding: suffix, as: UTF8.self))
        }
    }

    /// The host of a page that browsers load by https. Only such a page may read codes.
    private static func host(ofOrigin origin: String) -> String? {
        let scheme = "https://"
        guard origin.begins(with: scheme) else { return nil }
        let host = origin.utf8.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: ":") }
        return String(decoding: host, as: UTF8.self)
    }
}
