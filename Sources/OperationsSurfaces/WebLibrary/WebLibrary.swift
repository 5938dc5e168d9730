internal import HTTPServer
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The web library as pages load it (`Clients/Web`): each file under a path that stays, and under one that names its
/// content and may be kept for good.
struct WebLibrary: Sendable {
    private struct File: Sendable {
        let name: String
        let latest: VersionedAnswer
        let pinned: VersionedAnswer
    }

    /// Names the content of all files, in 12 characters.
    let version: String
    /// `GET /sdk`.
    let index: Response
    private let files: [File]

    init(sha256: @Sendable ([UInt8]) -> [UInt8]) {
        let contents = WebFile.all(in: "sdk").map { (name: $0.name, bytes: $0.bytes, digest: sha256($0.bytes)) }
        let version = base64URL(Array(sha256(contents.flatMap(\.digest)).prefix(9)))
        self.version = version
        files = contents.map { content in
            let headers = Self.headers(content.digest)
            return File(
                name: content.name,
                latest: Self.answer(content.bytes, headers, caching: "public, max-age=300"),
                pinned: Self.answer(content.bytes, headers, caching: "public, max-age=31536000, immutable"))
        }
        let listed = contents.map { content -> JSONObject in
            [
                "name": .string(content.name), "path": .string("/sdk/\(version)/\(content.name)"),
                "integrity": .string("sha256-" + base64(content.digest)),
                "bytes": .integer(Int64(content.bytes.count)),
            ]
        }
        var index = Response.json(200, ["version": .string(version), "files": .array(listed.map(JSONValue.object))])
        for field in Self.shared { index.add(field.name, field.value) }
        index.add("Cache-Control", "public, max-age=300")
        self.index = index
    }

    /// `nil`: there is no such file, or another version.
    /// - Parameter version: `nil`: the one that is there.
    func answer(_ name: String, _ version: String?, to request: Request) -> Response? {
        if let version, !version.isSame(as: self.version) { return nil }
        guard let file = files.first(where: { $0.name.isSame(as: name) }) else { return nil }
        return (version == nil ? file.latest : file.pinned).respond(to: request)
    }

    private static func answer(
        _ bytes: [UInt8], _ headers: [(name: String, value: String)], caching: String
    ) -> VersionedAnswer {
        VersionedAnswer(Response(status: 200, headers: headers + [("Cache-Control", caching)], body: bytes))
    }

    private static func headers(_ digest: [UInt8]) -> [(name: String, value: String)] {
        [("Content-Type", "text/javascript; charset=utf-8"), ("ETag", "\"\(base64URL(Array(digest.prefix(16))))\"")]
            + shared
    }

    /// Any page may load it: there is nothing of anybody in it.
    private static let shared: [(name: String, value: String)] = [
        ("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
        ("X-Content-Type-Options", "nosniff"),
    ]
}
