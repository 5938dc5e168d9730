internal import HTTPServer
internal import SurfaceKit

/// `GET /sdk`: the files of the web library, with the digests for `integrity` (W3C Subresource Integrity).
///
///     ->  200 {"version":"3kTMd0qPzVYb","files":[{"name":"holdfast.js","path":"/sdk/3kTMd0qPzVYb/holdfast.js",
///              "integrity":"sha256-...","bytes":38211}]}
struct ListWebLibrary: OperationsEndpoint, ImmediateEndpoint {
    let library: WebLibrary

    static let call = Call(
        .get, "/sdk", id: "listWebLibrary", "Files of the web library",
        "Under its path a file never changes. The integrity goes into a page's script element.")
    static let reply = ResponseReply<Response>([
        Answer(status: 200, about: "The files.", content: .json(files, example), headers: ["Cache-Control"])
    ])

    private static let example: StaticString = """
        {"version":"3kTMd0qPzVYb","files":[{"name":"holdfast.js","path":"/sdk/3kTMd0qPzVYb/holdfast.js",\
        "integrity":"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=","bytes":38211}]}
        """

    private static var files: Schema {
        let file = Schema.record([
            must("name", .text(), "The name of the file."),
            must("path", .text(), "The path of this version; its content never changes."),
            must(
                "integrity", .text(pattern: "^sha256-[A-Za-z0-9+/]{43}=$"),
                "SHA-256 of the file, as Subresource Integrity writes it."),
            must("bytes", .integer(1...10_000_000), "Size in bytes, not compressed."),
        ]).called("WebLibraryFile")
        return .record([
            must("version", .text(pattern: "^[A-Za-z0-9_-]{12}$"), "Changes when any file changes."),
            must("files", .list(of: file), "Every file of the library."),
        ])
    }

    func respond(to nothing: Nothing, of request: Request, from caller: Nothing) throws(OperationsError) -> Response {
        library.index
    }
}
