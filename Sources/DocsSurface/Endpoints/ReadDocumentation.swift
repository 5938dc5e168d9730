internal import HTTPServer
internal import SurfaceKit

/// `GET /docs`: the first page of the documentation.
///
///     ->  200 with ETag; 304 to a caller with that version (RFC 9110 section 13.1.2)
struct ReadDocumentation: DocsEndpoint {
    let surface: DocsSurface

    static let call = Call(
        .get, "/docs", id: "readDocumentation", "The documentation", "Its first page: guides and surfaces.")
    static let parameters = Parameters<Nothing, DocsError> { ifNoneMatch }
}

/// `GET /docs/{page}`: a guide.
struct ReadDocumentationPage: DocsEndpoint {
    let surface: DocsSurface

    static let call = Call(
        .get, "/docs/{page}", id: "readDocumentationPage", "A page of the documentation", "A guide of the first level.")
    static let parameters = Parameters<Nothing, DocsError> {
        part("page", "The name of the page, such as limits.")
        ifNoneMatch
    }
    static let refusals: [DocsError] = [.noSuchPage]
}

/// `GET /docs/{folder}/{page}`: a guide below another, the page of a surface, or a picture.
struct ReadDocumentationSubpage: DocsEndpoint {
    let surface: DocsSurface

    static let call = Call(
        .get, "/docs/{folder}/{page}", id: "readDocumentationSubpage", "A page below another",
        "A guide below another, the page of a surface, or a picture.")
    static let parameters = Parameters<Nothing, DocsError> {
        part("folder", "The page above, such as operate, or reference, or pictures.")
        part("page", "The name of the page, such as backup.")
        ifNoneMatch
    }
    static let reply = ResponseReply<Response>(
        answers(.page, others: [Content(type: "image/svg+xml", schema: .text())]))
    static let refusals: [DocsError] = [.noSuchPage]
}

/// `GET /docs/reference/{surface}/{call}`: the page of one call.
struct ReadReferencePage: DocsEndpoint {
    let surface: DocsSurface

    static let call = Call(
        .get, "/docs/reference/{surface}/{call}", id: "readReferencePage", "The page of one call",
        "What a call is for, samples in five languages, its fields, answers and errors.")
    static let parameters = Parameters<Nothing, DocsError> {
        part("surface", "The surface, such as prelude.")
        part("call", "The operationId of the call in the surface's OpenAPI document.")
        ifNoneMatch
    }
    static let refusals: [DocsError] = [.noSuchPage]
}

/// `GET /docs/assets/{version}/{file}`: scripts, style sheet and search index. The content of a URL never changes.
struct ReadDocumentationAsset: DocsEndpoint {
    let surface: DocsSurface

    static let call = Call(
        .get, "/docs/assets/{version}/{file}", id: "readDocumentationAsset", "A file of the documentation",
        "Scripts, style and search index. A file never changes under its address.")
    static let parameters = Parameters<Nothing, DocsError> {
        part("version", "Names the content of all of them.")
        part("file", "The name of the file, such as site.js.")
        ifNoneMatch
    }
    static let reply = ResponseReply<Response>(
        answers(
            Content(type: "text/javascript", schema: .text()),
            others: [
                Content(type: "text/css", schema: .text()), Content(type: "application/json", schema: .anything),
            ]))
    static let refusals: [DocsError] = [.noSuchPage]
}
