/// All paths below a prefix, which belong to one surface. It answers requests that match no route, in its own format.
///
///     Area("/toy") { request, failure in ToyError(failure).response }
package struct Area: Sendable {
    /// - Parameter failure: `.notFound`, `.methodNotAllowed` or `.notImplemented`. The engine adds `Allow`.
    package typealias Answer = @Sendable (_ request: Request, _ failure: HTTPFailure) async -> Response

    /// Such as `/toy`: this path, and all paths that continue with a slash.
    package let prefix: String
    private let answer: Answer

    package init(_ prefix: String, answer: @escaping Answer) {
        let slash = UInt8(ascii: "/")
        precondition(prefix.utf8.first == slash && prefix.utf8.last != slash, "an area is below a path: \(prefix)")
        self.prefix = prefix
        self.answer = answer
    }

    /// - Parameter path: as received.
    func contains(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.starts(with: prefix.utf8) else { return false }
        let rest = path.dropFirst(prefix.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }

    /// A route that answers one request for which no other route matched.
    func route(_ method: Method, _ failure: HTTPFailure) -> Route {
        let answer = answer
        return Route(method, prefix + "/*", body: .ignored, demand: .reads) { request in
            var response = await answer(request, failure)
            if case .methodNotAllowed(_, let allow) = failure { response.setAllow(allow) }
            return response
        }
    }
}

extension Response {
    /// RFC 9110 section 10.2.1.
    mutating func setAllow(_ methods: [Method]) {
        headers.removeAll { Octets.equalIgnoringCase($0.name.utf8, "allow") }
        headers.append(("Allow", methods.map(\.text).joined(separator: ", ")))
    }
}
