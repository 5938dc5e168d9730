internal import Text

extension ConfigurationReader {
    /// A URL under which clients reach this server, canonical.
    mutating func url(_ key: ConfigurationKey, _ mode: Configuration.Mode?) -> String? {
        guard let text = text(key) else { return nil }
        guard let url = PublicURL.canonical(text) else {
            refuse(key, "must be http:// or https:// with host and optional port, and no path")
            return nil
        }
        if mode == .live, !PublicURL.isConfidential(url) {
            refuse(key, "must begin with https:// in live, unless the host is loopback")
        }
        return url
    }
}
