package import HTTPServer
package import Text

/// Finds the client address of a request, behind the proxies that the operator has configured (HTTP-37, ABU-09).
package struct ClientAddress: Sendable {
    /// Peers whose `X-Forwarded-For` is trusted.
    package let trustedProxies: AddressRanges

    package init(trustedProxies: AddressRanges) {
        self.trustedProxies = trustedProxies
    }

    /// More hops than any chain of proxies has; entries to the left of them are not read.
    private static let maxHops = 32

    /// The rightmost address that is not a trusted proxy, because only trusted proxies wrote the entries to its right.
    ///
    /// - Returns: `nil` for a loopback peer without a forwarded address: behind an undeclared proxy, all callers would
    ///   look like one. Also `nil` if a trusted proxy names no valid address.
    package func of(_ request: Request) -> IPAddress? { of(request.headers, request.peer) }

    /// The same, from the head of a request.
    package func of(_ headers: Headers, _ peer: PeerAddress) -> IPAddress? {
        guard trustedProxies.contains(peer.address) else { return peer.isLoopback ? nil : peer.address }
        return forwarded(in: headers)
    }

    /// The notes of a request, with the client address if a trusted proxy forwards it.
    package func notes(_ headers: Headers, _ peer: PeerAddress) -> RequestNotes {
        guard trustedProxies.contains(peer.address) else { return RequestNotes() }
        return RequestNotes(RequestNotes.Values(address: forwarded(in: headers)?.text))
    }

    /// Whether a trusted proxy forwards the call without naming its client in a header that is read. `of` then returns
    /// `nil`, and all such clients count as one.
    package func isUnnamed(_ headers: Headers, _ peer: PeerAddress) -> Bool {
        trustedProxies.contains(peer.address) && forwarded(in: headers) == nil
            && Self.forwardingFields.contains { headers.count($0) > 0 }
    }

    /// Header fields of proxies, including those that are not read: a health check of the proxy itself has none of
    /// them.
    private static let forwardingFields = ["x-forwarded-for", "forwarded", "x-real-ip", "via"]

    private func forwarded(in headers: Headers) -> IPAddress? {
        var hopsLeft = Self.maxHops
        for field in headers.allBytes("x-forwarded-for").reversed() {
            var rest = field
            while hopsLeft > 0 {
                let comma = rest.lastIndex(of: UInt8(ascii: ","))
                let hop = (comma.map { rest[($0 + 1)...] } ?? rest).trimmingBlanks()
                guard let address = IPAddress(hop: hop.span) else { return nil }
                if !trustedProxies.contains(address) { return address }
                hopsLeft -= 1
                guard let comma else { break }
                rest = rest[..<comma]
            }
        }
        return nil
    }

    /// The same, or the peer's own address if there is none: to check whether two requests came from one address. `nil`
    /// for the local socket.
    package func or(peerOf request: Request) -> IPAddress? {
        of(request) ?? request.peer.address
    }
}
