package import HTTPServer
package import StrictJSON

/// The description of surfaces as an OpenAPI 3.1 document. Takes some 30 ms and 3 MB to put together.
package struct APIDescription: Sendable {
    package let object: JSONObject
    package let documentResponse: Response

    /// The server sends another version only after a restart.
    private static let caching = "public, max-age=60"

    /// - Parameters:
    ///   - info: what the document says of itself.
    ///   - version: of the server.
    ///   - publicURL: scheme and authority of this server as its callers reach it.
    ///   - surfaces: what each surface says of itself, in the order of the document.
    ///   - example: the recorded answer of an operation, by its id.
    ///   - sha256: the digest by which versions are told apart.
    package init(
        _ info: APIDocument.Info = .server, version: String, publicURL: String, surfaces: [SurfaceDescription],
        example: @escaping @Sendable (String) -> JSONValue?, sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        object =
            APIDocument(
                info, version: version, publicURL: publicURL, surfaces: surfaces, example: example
            ).object
        let bytes = object.serialized()
        documentResponse = Response(
            status: 200,
            headers: [("Content-Type", "application/json")] + Self.validators(of: bytes, sha256), body: bytes)
    }

    private static func validators(
        of bytes: [UInt8], _ sha256: ([UInt8]) -> [UInt8]
    ) -> [(name: String, value: String)] {
        [("ETag", "\"\(base64URL(Array(sha256(bytes).prefix(16))))\""), ("Cache-Control", caching)]
    }
}
