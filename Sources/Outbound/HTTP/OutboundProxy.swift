/// A proxy that an operator uses for calls of this server.
package enum OutboundProxy {
    /// The rule that its URL breaks: `http://`, a host, and optionally a port. Without user and password, which would
    /// then be in the configuration.
    package static func defect(of url: String) -> String? {
        if let defect = OutboundURL.defect(of: url, isBase: true, mayBePlain: true) { return defect }
        guard url.hasPrefix("http://") else { return "must begin with http://" }
        return url.utf8.dropFirst("http://".utf8.count).contains(UInt8(ascii: "/")) ? "must not have a path" : nil
    }
}
