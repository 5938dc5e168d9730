internal import HTTPServer
internal import SurfaceKit

/// A call for a page or a file of the site, found by the request's path.
protocol DocsEndpoint: Endpoint
where
    Caller == Nothing, Body == Nothing, Failure == DocsError, Refusal == DocsError,
    Replied == ResponseReply<Response>
{
    var surface: DocsSurface { get }
}

extension DocsEndpoint {
    /// The API description of the endpoint.
    static var operations: [Operation] {
        var described = operation(.documentation, caller: nil, schema: .anything, errors: [])
        described.listeners = ["operations"]
        return [described]
    }

    static var reply: ResponseReply<Response> { ResponseReply<Response>(answers(.page)) }

    /// - Parameter others: further media types besides that of `content`.
    static func answers(_ content: Content, others: [Content] = []) -> [Answer] {
        let headers = ["ETag", "Cache-Control", "Vary"]
        var found = Answer(
            status: 200, about: "In brotli or gzip where Accept-Encoding allows it.", content: content,
            headers: headers)
        found.otherContents = others
        return [
            found, Answer(status: 304, about: "The version in If-None-Match is the newest.", headers: headers),
        ]
    }

    static var ifNoneMatch: ParameterMember<Nothing, DocsError> {
        .header("If-None-Match", .text(), "The ETag of the version that is there.")
    }

    /// A part of the path. The whole path is looked up, so the part itself is not read.
    static func part(_ name: String, _ about: String) -> ParameterMember<Nothing, DocsError> {
        .path(name, .anyText.described(as: .text(least: 1)), about) { _, _ in }
    }

    var route: Route {
        let form = EndpointForm(Self.self)
        return Route(Self.call.method, Self.call.path) { request in
            await DocsError.answer(request, report: { _ in }) { () async throws(DocsError) in
                try await answer(request, from: Nothing(), form)
            }
        }
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) async throws(DocsError) -> Response {
        guard let answer = await surface.site.answer(at: request.path, to: request) else { throw .noSuchPage }
        return answer
    }
}

extension SurfaceName {
    static let documentation = SurfaceName("Documentation", about: "Guides and reference, for people.")
}
