package import HTTPServer
package import Text

/// Finds out whom a request comes from, past the proxies the operator named (HTTP-37, ABU-09).
package struct ClientAddress: Sendable {
    /// Peers whose `X-Forwarded-For` is believed.
    package let trustedProxies: AddressRanges

    package init(trustedProxies: AddressRanges) {
        self.trustedProxies = trustedProxies
    }

    /// More hops than any chain of proxies has; what stands left of them is not read.
    private static let maxHops = 32

    /// The rightmost address that no trusted proxy is, since only proxies wrote what stands right of it.
    ///
    /// - Returns: `nil` for a loopback peer that names nobody: behind a proxy that is not declared, all callers would
    ///   look like one. Also `nil` where a trusted proxy names nobody, or what is no address.
    package func of(_ request: Request) -> IPAddress? { of(request.headers, request.peer) }

    /// The same from the head of a request.
    package func of(_ headers: Headers, _ peer: PeerAddress) -> IPAddress? {
        guard trustedProxies.contains(peer.address) else { return peer.isLoopback ? nil : peer.address }
        return forwarded(in: headers)
    }

    /// The notes of a request: where a trusted proxy brings it, whom from.
    package func notes(_ headers: Headers, _ peer: PeerAddress) -> RequestNotes {
        guard trustedProxies.contains(peer.address) else { return RequestNotes() }
        return RequestNotes(RequestNotes.Values(address: forwarded(in: headers)?.text))
    }

    /// Whether a trusted proxy forwards the call and names its client in no way that is read. The address that `of` finds is
    /// then `nil`, and all such clients count as one.
    package func isUnnamed(_ headers: Headers, _ peer: PeerAddress) -> Bool {
        trustedProxies.contains(peer.address) && forwarded(in: headers) == nil
            && Self.forwardingFields.contains { headers.count($0) > 0 }
    }

    /// Fields of a proxy, with the ones that are not read: a health check of the proxy itself has none.
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

    /// The same, and the peer itself where nobody is named: for checks that two requests came from one address. `nil`
    /// for the local socket.
    package func or(peerOf request: Request) -> IPAddress? {
        of(request) ?? request.peer.address
    }
}
