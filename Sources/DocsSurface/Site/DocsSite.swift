internal import BuiltInFiles
internal import HTTPServer
internal import Locks
internal import StrictJSON
internal import SurfaceKit
internal import Text

/// The pages and files of the site by URL path. A page is framed and compressed when it is first requested.
final class DocsSite: Sendable {
    private let frame: SiteFrame
    private let pages: [ByteText: SitePage]
    private let files: [ByteText: CodedAnswer]
    private let answers = Locked<[ByteText: Task<CodedAnswer, Never>]>([:])
    private let sha256: @Sendable ([UInt8]) -> [UInt8]

    /// Allows nothing from another host, no frame, no inline script. The search runs in a worker.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    init(_ content: SiteContent, sha256: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.sha256 = sha256
        let index = content.searchIndex
        let assets = BuiltInFile.all(in: "site").filter { !$0.name.hasSuffix(".md") }
        let version = Base64URL.encode(Array(sha256(assets.flatMap(\.bytes) + index).prefix(9)))
        frame = SiteFrame(content: content, version: version)
        pages = Dictionary(content.pages.map { (ByteText($0.address), $0) }) { first, _ in first }
        let scripts = assets.map { ("\(SitePath.assets)/\(version)/\($0.name)", $0.mediaType, $0.bytes) }
        let pictures = BuiltInFile.all(in: "docs/pictures").map {
            ("\(SitePath.root)/pictures/\($0.name)", "image/svg+xml", $0.bytes)
        }
        let search = ("\(SitePath.assets)/\(version)/search.json", "application/json", index)
        files = Dictionary(
            (scripts + pictures + [search]).map { address, type, bytes in
                let caching =
                    address.hasPrefix(SitePath.assets) ? "public, max-age=31536000, immutable" : "public, max-age=300"
                let headers = Self.headers(type) + [("Cache-Control", caching)]
                return (ByteText(address), CodedAnswer(bytes, headers: headers, sha256: sha256))
            }
        ) { first, _ in first }
    }

    /// `nil`: there is nothing at this path.
    /// - Parameter address: the path without a query, such as `/docs/limits`.
    func answer(at address: String, to request: Request) async -> Response? {
        let key = ByteText(address)
        if let file = files[key] { return file.respond(to: request) }
        guard let page = pages[key] else { return nil }
        return await answer(page, at: key).value.respond(to: request)
    }

    private func answer(_ page: SitePage, at key: ByteText) -> Task<CodedAnswer, Never> {
        answers.withLock { answers in
            if let answer = answers[key] { return answer }
            // Detached: the compression of a page must not block a loop.
            let answer = Task.detached { [frame, sha256] in
                CodedAnswer(Array(frame.document(page).text.utf8), headers: Self.pageHeaders, sha256: sha256)
            }
            answers[key] = answer
            return answer
        }
    }

    private static let pageHeaders =
        headers("text/html; charset=utf-8") + [
            ("Content-Language", "en"), ("Content-Security-Policy", policy), ("Cache-Control", "public, max-age=60"),
            ("X-Frame-Options", "DENY"),
        ]

    private static func headers(_ type: String) -> [(name: String, value: String)] {
        [
            ("Content-Type", type), ("Cross-Origin-Resource-Policy", "same-origin"), ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]
    }
}
