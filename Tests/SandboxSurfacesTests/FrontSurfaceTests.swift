import HTTPServer
import Testing

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit

@Suite struct FrontSurfaceTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    private static func headers(_ accept: String?) -> Headers { Headers(accept.map { [("Accept", $0)] } ?? []) }

    private static func front(_ paths: [String] = ["/docs", "/healthz", "/sandbox/users"]) -> FrontSurface {
        FrontSurface(
            beside: paths.map { Route.immediate(.get, $0) { _ in Response(status: 200) } }, isSandbox: true,
            sha256: { _ in [1, 2, 3] })
    }

    private static func get(_ front: FrontSurface, _ accept: String?) async -> Response {
        let request = Request(method: .get, path: "/", headers: headers(accept), id: "r")
        return await Router(front.routes).response(to: request, failureResponse: failureResponse)
    }

    @Test(arguments: [
        (browser, true), ("text/html", true), ("TEXT/HTML;q=0.5", true), ("text/html;level=1;q=0.4, */*;q=0.3", true),
        ("application/json;q=0.9, text/html", true), ("text/html; q=1.000", true), ("text/html,*/*;q=1.0", false),
        ("*/*", false), ("application/json, text/html", false), ("text/html;q=0", false), ("text/html;q=x", false),
        ("text/html;q=0.9, application/json", false), ("text/html;q=0.5, application/*;q=0.6", false),
        ("application/json;q=0.1, */*;q=1, text/html;q=0.5", true), ("text/*", false), ("", false), (",;,;q=1", false),
        ("text/html;q=0.1234", false), ("text/html;q=2", false),
    ]) func `tells browsers from programs`(accept: String, isPage: Bool) {
        #expect(AcceptedForm.isPage(Self.headers(accept)) == isPage)
    }

    @Test func `gives a browser a page that leads to what is there`() async {
        let answer = await Self.get(Self.front(), Self.browser)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 200)
        for part in ["<h1>Holdfast</h1>", #"href="/docs""#, #"href="/healthz""#, "README.md"] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("/metrics") && !text.contains("<script"))
        let fields = Dictionary(answer.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        #expect(fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(fields["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    }

    @Test func `leads to no docs where there are none`() async {
        let page = await Self.get(Self.front(["/healthz"]), Self.browser)
        #expect(!String(decoding: page.body, as: UTF8.self).contains("/docs"))
        let coded = await Self.get(Self.front(["/healthz"]), nil)
        #expect(
            String(decoding: coded.body, as: UTF8.self) == #"{"code":8001,"message":"there is nothing at this path"}"#)
    }

    @Test(arguments: [nil, "*/*", "application/json"]) func `tells programs where the calls are described`(
        accept: String?
    ) async {
        let answer = await Self.get(Self.front(), accept)
        #expect(answer.status == 404)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"code":8001,"message":"there is nothing at this path; /docs describes every call"}"#)
    }

    @Test(arguments: [(HTTPFailure.notFound, 404), (.methodNotAllowed(.get, allow: [.post]), 405), (.overloaded, 503)])
    func `shows a browser a page for a wrong address, and when there is too much to do`(
        failure: HTTPFailure, status: Int
    ) throws {
        let page = try #require(Self.front().failurePage(failure, Self.headers(Self.browser)))
        #expect(page.status == status)
        #expect(String(decoding: page.body, as: UTF8.self).contains("<h1>"))
        #expect(Self.front().failurePage(failure, Self.headers("*/*"))?.status == nil)
    }

    @Test(arguments: [HTTPFailure.internalFault, .contentTooLarge, .badRequest(reason: "x")])
    func `leaves other failures as they are`(failure: HTTPFailure) {
        #expect(Self.front().failurePage(failure, Self.headers(Self.browser))?.status == nil)
    }
}
