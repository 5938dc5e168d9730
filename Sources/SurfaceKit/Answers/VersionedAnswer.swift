package import HTTPServer
internal import Text

/// An answer with an ETag, for callers that may already have it.
package struct VersionedAnswer: Sendable {
    private let whole: Response
    private let notModified: Response
    private let tag: String

    /// - Parameter response: must have an ETag.
    package init(_ response: Response) {
        whole = response.shared
        tag = response.headers.first { $0.name.isSame(as: "ETag") }?.value ?? ""
        notModified = Response(
            status: 304,
            headers: response.headers.filter { header in
                // The fields that a cache stores, and those that allow a page of another origin to read the answer.
                [
                    "ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy",
                ].contains { $0.isSame(as: header.name) }
            })
    }

    package func respond(to request: Request) -> Response {
        request.headers.allBytes("if-none-match").contains(where: names) ? notModified : whole
    }

    /// Whether `*` or a list of tags contains our tag, by weak comparison.
    private func names(_ value: ArraySlice<UInt8>) -> Bool {
        value.split(separator: UInt8(ascii: ",")).contains { part in
            let candidate = part.trimmingBlanks()
            return candidate.isSame(as: "*") || candidate.isSame(as: tag) || candidate.isSame(as: "W/" + tag)
        }
    }
}
