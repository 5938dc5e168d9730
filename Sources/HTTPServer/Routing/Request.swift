internal import Text

/// One request, complete with its body. A value whose parts are in one shared block, so that passing it on is cheap.
package struct Request: Sendable {
    private struct Parts: Sendable {
        var method: Method
        var path: String
        var rawQuery: String
        var headers: Headers
        var body: [UInt8]
        var parameters: PathParameters
        var peer: PeerAddress
        var id: String
        var host: String?
        var routePattern: String?
        var notes: RequestNotes?
        var channel: SecureChannel?
    }

    private final class Block: @unchecked Sendable {
        // Sendable: changed only while a single value refers to it.
        var parts: Parts

        init(_ parts: Parts) {
            self.parts = parts
        }
    }

    private var block: Block

    package init(
        method: Method, path: String, rawQuery: String = "", headers: Headers = Headers(), body: [UInt8] = [],
        parameters: PathParameters = PathParameters(), peer: PeerAddress = .loopback, id: String, host: String? = nil,
        routePattern: String? = nil, notes: RequestNotes? = nil, channel: SecureChannel? = nil
    ) {
        block = Block(
            Parts(
                method: method, path: path, rawQuery: rawQuery, headers: headers, body: body, parameters: parameters,
                peer: peer, id: id, host: host, routePattern: routePattern, notes: notes, channel: channel))
    }

    private mutating func change(_ change: (inout Parts) -> Void) {
        if !isKnownUniquelyReferenced(&block) { block = Block(block.parts) }
        change(&block.parts)
    }

    package var method: Method {
        get { block.parts.method }
        set { change { $0.method = newValue } }
    }

    /// Percent-decoded once, canonical, without the query.
    package var path: String {
        get { block.parts.path }
        set { change { $0.path = newValue } }
    }

    /// The part of the target after the `?`, as received; empty if there is none.
    package var rawQuery: String {
        get { block.parts.rawQuery }
        set { change { $0.rawQuery = newValue } }
    }

    package var headers: Headers {
        get { block.parts.headers }
        set { change { $0.headers = newValue } }
    }

    package var body: [UInt8] {
        get { block.parts.body }
        set { change { $0.body = newValue } }
    }

    package var parameters: PathParameters {
        get { block.parts.parameters }
        set { change { $0.parameters = newValue } }
    }

    package var peer: PeerAddress {
        get { block.parts.peer }
        set { change { $0.peer = newValue } }
    }

    /// The caller's `X-Request-Id` if it was 1-128 of `[A-Za-z0-9._:-]`, otherwise generated here.
    package var id: String {
        get { block.parts.id }
        set { change { $0.id = newValue } }
    }

    /// The authority that the request was sent to, validated and in lower case: from the target, otherwise from `Host`.
    /// `nil` for HTTP/1.0 without `Host`.
    package var host: String? {
        get { block.parts.host }
        set { change { $0.host = newValue } }
    }

    /// The pattern of the route, such as `/v3/identity/{proveId}`; `nil` when none matched.
    package var routePattern: String? {
        get { block.parts.routePattern }
        set { change { $0.routePattern = newValue } }
    }

    /// Notes for the log line of the request; `nil` where requests are not logged.
    package var notes: RequestNotes? { block.parts.notes }

    /// The encryption of the connection; `nil` for a plain socket.
    package var channel: SecureChannel? { block.parts.channel }

    /// The first query parameter with that name, decoded. `nil` when it is absent, not UTF-8, or wrongly encoded.
    ///
    /// A `+` stays a plus, as in RFC 3986 and as phone numbers need; blanks are `%20`.
    package func query(_ name: String) -> String? {
        var rest = rawQuery.utf8[...]
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest[pair.endIndex...].dropFirst()
            let key = pair.prefix { $0 != UInt8(ascii: "=") }
            guard PercentCoding.decode(key)?.isSame(as: name) == true else { continue }
            if key.endIndex == pair.endIndex { return "" }
            return PercentCoding.decode(pair[key.endIndex...].dropFirst()).flatMap {
                String(validating: $0, as: UTF8.self)
            }
        }
        return nil
    }
}
