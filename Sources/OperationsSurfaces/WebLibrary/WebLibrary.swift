internal import BuiltInFiles
internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The web library for pages (`Clients/Web`): each file under a path that stays the same, and under one that names its
/// content and may be cached for good. Callers that accept gzip get the compressed copy.
struct WebLibrary: Sendable {
    private struct File: Sendable {
        let name: String
        let latest: Copies
        let pinned: Copies
    }

    /// A file, uncompressed and compressed.
    private struct Copies: Sendable {
        let plain: VersionedAnswer
        let compressed: VersionedAnswer?

        func respond(to request: Request) -> Response {
            guard let compressed, AcceptedCodings(request.headers).best(of: [.gzip]) != nil else {
                return plain.respond(to: request)
            }
            return compressed.respond(to: request)
        }
    }

    /// Identifies the content of all files, in 12 characters.
    let version: String
    /// `GET /sdk`.
    let index: Response
    private let files: [File]

    init(sha256: @Sendable ([UInt8]) -> [UInt8]) {
        let contents = BuiltInFile.all(in: "sdk").map { (file: $0, digest: sha256($0.bytes)) }
        let version = Base64URL.encode(Array(sha256(contents.flatMap(\.digest)).prefix(9)))
        self.version = version
        files = contents.map { content in
            File(
                name: content.file.name,
                latest: Self.copies(of: content.file, content.digest, caching: "public, max-age=300"),
                pinned: Self.copies(of: content.file, content.digest, caching: "public, max-age=31536000, immutable"))
        }
        let listed = contents.map { content -> JSONObject in
            [
                "name": .string(content.file.name), "path": .string("/sdk/\(version)/\(content.file.name)"),
                "integrity": .string("sha256-" + Base64.encode(content.digest)),
                "bytes": .integer(Int64(content.file.bytes.count)),
            ]
        }
        var index = Response.json(200, ["version": .string(version), "files": .array(listed.map(JSONValue.object))])
        for field in Self.shared { index.add(field.name, field.value) }
        index.add("Cache-Control", "public, max-age=300")
        self.index = index
    }

    /// `nil`: there is no such file, or it has another version.
    /// - Parameter version: `nil`: the current version.
    func answer(_ name: String, _ version: String?, to request: Request) -> Response? {
        if let version, !version.isSame(as: self.version) { return nil }
        guard let file = files.first(where: { $0.name.isSame(as: name) }) else { return nil }
        return (version == nil ? file.latest : file.pinned).respond(to: request)
    }

    private static func copies(of file: BuiltInFile, _ digest: [UInt8], caching: String) -> Copies {
        let tag = Base64URL.encode(Array(digest.prefix(16)))
        // Type declarations are for editors; browsers do not run them.
        let isScript = file.name.utf8.suffix(3).elementsEqual(".js".utf8)
        let headers =
            [
                ("Content-Type", (isScript ? "text/javascript" : "text/plain") + "; charset=utf-8"),
                ("Cache-Control", caching),
                ("Vary", "Accept-Encoding"),
            ] + shared
        // Different bytes need a different tag (RFC 9110 section 8.8.3.3).
        return Copies(
            plain: VersionedAnswer(
                Response(status: 200, headers: headers + [("ETag", "\"\(tag)\"")], body: file.bytes)),
            compressed: file.compressed.map { bytes in
                let more = [("ETag", "\"\(tag)-gzip\""), ("Content-Encoding", "gzip")]
                return VersionedAnswer(Response(status: 200, headers: headers + more, body: bytes))
            })
    }

    /// Any page may load it: it contains no personal data.
    private static let shared: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("X-Content-Type-Options", "nosniff"),
    ]
}
