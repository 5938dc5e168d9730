import Testing

@testable import HTTPServer

@Suite struct RouterTests {
    private static let router = Router([
        route(.get, "/"), route(.post, "/v3/unify"), route(.get, "/v3/identity/{proveId}"),
        route(.delete, "/v3/identity/{proveId}"), route(.get, "/v3/identity/batch"),
        route(.post, "/v3/identity/{proveId}/links/{link}"),
        route(.get, "/a/{x}/c"), route(.get, "/a/b/d"), route(.get, "/dir/"), route(.options, "/cors"),
    ])

    private static func route(_ method: HTTPServer.Method, _ pattern: String) -> Route {
        Route(method, pattern) { _ in Response(status: 200) }
    }

    private func match(_ method: HTTPServer.Method, _ path: String) -> Router.Match {
        Self.router.match(method, path: Array(path.utf8)[...])
    }

    private func pattern(_ method: HTTPServer.Method, _ path: String) -> String? {
        if case .found(let route, _) = match(method, path) { route.pattern } else { nil }
    }

    private func failure(_ method: HTTPServer.Method, _ path: String) -> HTTPFailure? {
        if case .failed(let failure, _) = match(method, path) { failure } else { nil }
    }

    @Test(arguments: [
        ("/", "/"), ("/v3/identity/7", "/v3/identity/{proveId}"), ("/v3/identity/batch", "/v3/identity/batch"),
        ("/a/b/c", "/a/{x}/c"), ("/a/b/d", "/a/b/d"), ("/a/%62/c", "/a/{x}/c"), ("/dir/", "/dir/"),
    ])
    func `finds the route, a literal before a parameter`(path: String, expected: String) {
        #expect(pattern(.get, path) == expected)
    }

    @Test func `decodes parameters once`() {
        guard case .found(_, let parameters) = match(.post, "/v3/identity/a%20b%2541/links/%C3%A9") else {
            Issue.record("no route")
            return
        }
        #expect(parameters["proveId"] == "a b%41")
        #expect(parameters["link"] == "é")
        #expect(parameters["other"] == nil)
    }

    /// HTTP-11: of all spellings of a path, only the canonical one reaches its handler.
    @Test(arguments: [
        "/v3/unif%79", "/%763/unify", "/v3%2funify", "/v3%2Funify", "/v3/%75nify", "//v3/unify", "/v3//unify",
        "/v3/unify/",
        "/v3/./unify", "/v3/../v3/unify", "/./v3/unify", "/v3/unify/.", "/v3/unify/..", "/v3/%2e/unify",
        "/v3/%2e%2e/v3/unify",
        "/v3/unify%00", "/v3/unify%0d%0a", "/v3/unify%20", "/v3/unify%2f", "/v3/unify;a", "/V3/unify", "/v3/UNIFY",
        "/v3/unify.",
        "/v3\\unify", "/v3/%255cunify", "/v3/unify%23", "/v3/unify%3f", "/%2fv3/unify", "/v3/unif%C3%BD",
        "/v3/unify%2e",
    ])
    func `reaches a handler by no other spelling of its path`(path: String) {
        #expect(pattern(.post, "/v3/unify") == "/v3/unify")
        #expect(failure(.post, path)?.status == 404)
    }

    @Test(arguments: [
        "/v3/identity/", "/v3/identity/..", "/v3/identity/.", "/v3/identity/%2e%2e", "/v3/identity/%2E",
        "/v3/identity/a%2fb",
        "/v3/identity/a%00", "/v3/identity/%0a", "/v3/identity/%7f", "/v3/identity/a%5cb", "/v3/identity/%ff",
        "/v3/identity/a/b",
    ])
    func `takes no empty, dotted, split or undecodable parameter`(path: String) {
        #expect(failure(.get, path) == .notFound)
    }

    @Test func `names the allowed methods, HEAD with GET and OPTIONS always`() {
        #expect(failure(.get, "/v3/unify") == .methodNotAllowed(.get, allow: [.post, .options]))
        #expect(failure(.post, "/v3/identity/7") == .methodNotAllowed(.post, allow: [.get, .head, .delete, .options]))
        #expect(failure(.trace, "/") == .methodNotAllowed(.trace, allow: [.get, .head, .options]))
        #expect(failure(.delete, "/v3/identity/batch") == .methodNotAllowed(.delete, allow: [.get, .head, .options]))
    }

    @Test func `answers unknown methods with 501 on any path and unknown paths with 404`() {
        #expect(failure(.other("BREW"), "/v3/unify") == .notImplemented)
        #expect(failure(.other("post"), "/none") == .notImplemented)
        #expect(failure(.post, "/none") == .notFound)
        #expect(failure(.options, "/none") == .notFound)
    }

    @Test func `tells a path that begins with two slashes from others`() {
        #expect(failure(.post, "//v3/unify") == .doubleSlash)
        #expect(failure(.get, "//") == .doubleSlash)
        #expect(failure(.post, "/v3//unify") == .notFound)
        #expect(failure(.other("BREW"), "//v3/unify") == .notImplemented)
    }

    @Test func `lets HEAD use the route of GET and OPTIONS its own`() {
        #expect(pattern(.head, "/v3/identity/7") == "/v3/identity/{proveId}")
        #expect(pattern(.options, "/cors") == "/cors")
        guard case .options(let allow) = match(.options, "/v3/unify") else {
            Issue.record("no answer to OPTIONS")
            return
        }
        #expect(allow == [.post, .options])
    }

    /// The answer, and what it was asked to say.
    private static let areas = Router(
        [route(.get, "/toy/v1/ball"), route(.get, "/toyshop"), route(.get, "/toy/{name}/size")],
        areas: [
            Area("/toy") { request, failure in
                Response(status: failure.status, headers: [("X-Path", request.path), ("Allow", "WRONG")])
            }
        ])

    @Test(arguments: [
        ("/toy", "404"), ("/toy/", "404"), ("/toy/v2", "404"), ("/toy/v1/ball/", "404"), ("/toy/%ff/size", "404"),
        ("/toy/../x", "404"), ("/toyshop/x", "none"), ("/toys", "none"), ("/TOY", "none"), ("//toy/v2", "none"),
        ("/", "none"), ("/toy/v1/ball", "200"), ("/toyshop", "200"),
    ])
    func `an area answers what no route below its prefix does`(path: String, expected: String) async {
        let request = Request(method: .get, path: path, id: "r")
        let response = await Self.areas.response(to: request) { _ in Response(status: 599) }
        #expect(expected == (response.status == 599 ? "none" : String(response.status)), "\(path)")
        if expected == "404" { #expect(response.headers.contains { $0.name == "X-Path" && $0.value == path }) }
    }

    @Test func `an area refuses methods, and the engine says which are taken`() async {
        for (method, status) in [(HTTPServer.Method.post, 405), (.other("BREW"), 501)] {
            let request = Request(method: method, path: "/toy/v1/ball", id: "r")
            let response = await Self.areas.response(to: request) { _ in Response(status: 599) }
            #expect(response.status == status)
            guard status == 405 else { continue }
            #expect(response.headers.filter { $0.name == "Allow" }.map(\.value) == ["GET, HEAD, OPTIONS"])
        }
        guard case .options = Self.areas.match(.options, path: Array("/toy/v1/ball".utf8)[...]) else {
            Issue.record("OPTIONS of a path that is there is answered as everywhere")
            return
        }
    }

    @Test func `answers without a connection`() async {
        let request = Request(method: .get, path: "/v3/identity/7", id: "r")
        #expect(await Self.router.response(to: request) { Response(status: $0.status) }.status == 200)
        let wrong = Request(method: .get, path: "/v3/unify", id: "r")
        #expect(await Self.router.response(to: wrong) { Response(status: $0.status) }.status == 405)
    }
}
