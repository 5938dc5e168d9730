internal import Text

/// Finds the route of a method and a path: a tree of path segments, no regular expressions.
///
/// - A literal segment wins over a parameter. The path decides first, then the method: a path that matches literally
///   never falls back to a pattern with parameters because of its method.
/// - A literal matches only a segment that was sent literally. A segment that needs percent-decoding can only be a
///   parameter, decoded once. If the result has a slash or a control character, is not UTF-8, or is a dot segment, it
///   matches nothing (HTTP-11).
/// - `/a/` is another path than `/a`. A parameter is never empty.
package struct Router: Sendable {
    private struct Node {
        var literals: [(segment: [UInt8], node: Int)] = []
        var parameter: Int?
        /// Indices of routes.
        var routes: [(method: Method, route: Int)] = []
    }

    enum Match {
        case found(Route, PathParameters)
        /// An OPTIONS request without its own route.
        case options(allow: [Method])
        /// - Parameter area: answers in its own format; `nil`: the path is in no area.
        case failed(HTTPFailure, Area?)

        var isProbe: Bool { if case .found(let route, _) = self { route.isProbe } else { false } }
    }

    package let routes: [Route]
    private let parameterNames: [[String]]
    private var nodes = [Node()]
    /// Answers any method when no other route matches.
    private let fallback: Route?
    private let areas: [Area]

    /// Traps on two routes of the same method and path, and on a pattern that does not begin with a slash.
    ///
    /// - Parameters:
    ///   - areas: answer requests below their prefix that match no route.
    ///   - fallback: answers all other requests that match no route, with any method. Its own method and pattern are
    ///     not used.
    package init(_ routes: [Route], areas: [Area] = [], fallback: Route? = nil) {
        self.routes = routes
        self.areas = areas
        self.fallback = fallback
        parameterNames = routes.map { Router.segments($0.pattern).compactMap(Router.parameterName) }
        for (index, route) in routes.enumerated() { insert(route, index) }
    }

    /// Whether a route does long work.
    var hasLongWork: Bool { routes.contains(where: \.isLong) }

    /// Methods of all routes, for CONNECT and `OPTIONS *`.
    var allMethods: [Method] {
        Router.allowed(nodes.flatMap { $0.routes.map(\.method) })
    }

    private static func segments(_ pattern: String) -> [Substring] {
        precondition(pattern.hasPrefix("/"), "a route pattern begins with a slash: \(pattern)")
        return pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    }

    private static func parameterName(_ segment: Substring) -> String? {
        guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return nil }
        return String(segment.dropFirst().dropLast())
    }

    private mutating func insert(_ route: Route, _ index: Int) {
        var current = 0
        for segment in Router.segments(route.pattern) {
            current = child(of: current, segment)
        }
        let isFree = !nodes[current].routes.contains { $0.method == route.method }
        precondition(isFree, "two routes for \(route.method.text) \(route.pattern)")
        nodes[current].routes.append((route.method, index))
    }

    private mutating func child(of parent: Int, _ segment: Substring) -> Int {
        if Router.parameterName(segment) != nil {
            if let existing = nodes[parent].parameter { return existing }
            nodes.append(Node())
            nodes[parent].parameter = nodes.count - 1
            return nodes.count - 1
        }
        let literal = Array(segment.utf8)
        if let existing = nodes[parent].literals.first(where: { $0.segment == literal }) { return existing.node }
        nodes.append(Node())
        nodes[parent].literals.append((literal, nodes.count - 1))
        return nodes.count - 1
    }

    // MARK: Matching

    /// Answers a request without a connection, for tests of surfaces. Its `path` is matched as if a socket had received
    /// it.
    package func response(
        to request: Request, failureResponse: @Sendable (HTTPFailure) -> Response
    ) async -> Response {
        var request = request
        switch match(request.method, path: Array(request.path.utf8)[...]) {
        case .failed(let failure, let area):
            guard let area else { return failureResponse(failure) }
            return await area.route(request.method, failure).respond(request)
        case .options(let allow):
            return Response(status: 204, headers: [("Allow", allow.map(\.text).joined(separator: ", "))])
        case .found(let route, let parameters):
            request.parameters = parameters
            request.routePattern = route.pattern
            return await route.respond(request)
        }
    }

    /// - Parameter path: as received, beginning with a slash.
    func match(_ method: Method, path: ArraySlice<UInt8>) -> Match {
        let match = matchRoutes(method, path: path)
        guard case .failed(let failure, _) = match else { return match }
        if let fallback { return .found(fallback, PathParameters()) }
        return .failed(failure, areas.first { $0.contains(path) })
    }

    private func matchRoutes(_ method: Method, path: ArraySlice<UInt8>) -> Match {
        var values: [Range<Int>] = []
        guard path.first == UInt8(ascii: "/"), let node = find(path, from: path.startIndex + 1, in: 0, &values) else {
            if case .other = method { return .failed(.notImplemented, nil) }
            return .failed(path.dropFirst().first == UInt8(ascii: "/") ? .doubleSlash : .notFound, nil)
        }
        let candidates = nodes[node].routes
        // HEAD is answered by the route of GET unless it has its own (RFC 9110 section 9.3.2).
        let found =
            candidates.first { $0.method == method }
            ?? (method == .head ? candidates.first { $0.method == .get } : nil)
        if let found {
            guard let parameters = parameters(of: found.route, path, values) else { return .failed(.notFound, nil) }
            return .found(routes[found.route], parameters)
        }
        let allow = Router.allowed(candidates.map(\.method))
        switch method {
        case .options: return .options(allow: allow)
        case .other: return .failed(.notImplemented, nil)
        default: return .failed(.methodNotAllowed(method, allow: allow), nil)
        }
    }

    /// The node of a path that has routes. Tries literals first, then goes back to a parameter.
    private func find(_ path: ArraySlice<UInt8>, from start: Int, in node: Int, _ values: inout [Range<Int>]) -> Int? {
        var end = start
        while end < path.endIndex, path[end] != UInt8(ascii: "/") { end += 1 }
        for literal in nodes[node].literals where literal.segment.elementsEqual(path[start..<end]) {
            if let found = descend(path, end, to: literal.node, &values) { return found }
        }
        guard let parameter = nodes[node].parameter, start < end, !Router.isDotSegment(path[start..<end]) else {
            return nil
        }
        values.append(start..<end)
        if let found = descend(path, end, to: parameter, &values) { return found }
        values.removeLast()
        return nil
    }

    private func descend(_ path: ArraySlice<UInt8>, _ end: Int, to node: Int, _ values: inout [Range<Int>]) -> Int? {
        if end == path.endIndex { return nodes[node].routes.isEmpty ? nil : node }
        return find(path, from: end + 1, in: node, &values)
    }

    private func parameters(of route: Int, _ path: ArraySlice<UInt8>, _ values: [Range<Int>]) -> PathParameters? {
        if values.isEmpty { return PathParameters() }
        var pairs: [(name: String, value: String)] = []
        for (name, segment) in zip(parameterNames[route], values) {
            guard let decoded = PercentCoding.decode(path[segment]), !Router.isDotSegment(decoded[...]),
                decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }),
                let value = String(validating: decoded, as: UTF8.self)
            else { return nil }
            pairs.append((name, value))
        }
        return PathParameters(pairs)
    }

    private static func isDotSegment(_ segment: ArraySlice<UInt8>) -> Bool {
        segment.count <= 2 && segment.allSatisfy { $0 == UInt8(ascii: ".") } && !segment.isEmpty
    }

    /// In a fixed order. HEAD is added to GET, and OPTIONS always.
    private static func allowed(_ methods: [Method]) -> [Method] {
        let order: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        return order.filter { methods.contains($0) || $0 == .options || $0 == .head && methods.contains(.get) }
    }
}
