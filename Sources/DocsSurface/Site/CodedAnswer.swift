internal import HTTPServer
internal import SurfaceKit
internal import Text

/// An answer with its copies in brotli and gzip, made once. Each has its own ETag (RFC 9110 section 8.8.3.3).
struct CodedAnswer: Sendable {
    private let plain: VersionedAnswer
    private let copies: [(coding: ContentCoding, answer: VersionedAnswer)]

    init(_ body: [UInt8], headers: [(name: String, value: String)], sha256: ([UInt8]) -> [UInt8]) {
        let tag = Base64URL.encode(Array(sha256(body).prefix(16)))
        let headers = headers + [("Vary", "Accept-Encoding")]
        plain = VersionedAnswer(Response(status: 200, headers: headers + [("ETag", "\"\(tag)\"")], body: body))
        copies = [ContentCoding.brotli, .gzip].compactMap { coding in
            guard let coded = coding.coded(body), coded.count < body.count else { return nil }
            let more = [("ETag", "\"\(tag)-\(coding.rawValue)\""), ("Content-Encoding", coding.rawValue)]
            return (coding, VersionedAnswer(Response(status: 200, headers: headers + more, body: coded)))
        }
    }

    func respond(to request: Request) -> Response {
        let best = AcceptedCodings(request.headers).best(of: copies.map(\.coding))
        return (copies.first { $0.coding == best }?.answer ?? plain).respond(to: request)
    }
}
