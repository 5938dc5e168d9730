internal import ClientSurfaces
internal import DocsSurface
internal import MessageSurfaces
internal import OperationsSurfaces
internal import ProveSurfaces
internal import SandboxSurfaces
internal import StrictJSON
package import SurfaceKit

/// The description of all surfaces of the server.
extension APIDescription {
    /// - Parameters:
    ///   - version: of the server.
    ///   - publicURL: scheme and authority by which callers reach this server.
    ///   - isSandbox: whether the sandbox surfaces exist.
    ///   - sha256: computes the digest that identifies a version.
    package init(version: String, publicURL: String, isSandbox: Bool, sha256: @Sendable ([UInt8]) -> [UInt8]) {
        self.init(
            version: version, publicURL: publicURL, surfaces: Self.surfaces(isSandbox: isSandbox),
            example: RecordedAnswers().answer(to:), sha256: sha256)
    }

    /// The description of the calls of a session, from the access token to the outcome: small, for generated clients.
    package init(
        ofSessions version: String, publicURL: String, isSandbox: Bool, sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.init(
            .session, version: version, publicURL: publicURL, surfaces: Self.sessionSurfaces(isSandbox: isSandbox),
            example: RecordedAnswers().answer(to:), sha256: sha256)
    }

    /// The document of a surface with its own document: the wire format of another vendor.
    package init(
        of surface: SurfaceDescription, _ info: APIDocument.Info, version: String, publicURL: String,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.init(
            info, version: version, publicURL: publicURL, surfaces: [surface], example: RecordedAnswers().answer(to:),
            sha256: sha256)
    }

    static func document(version: String, publicURL: String, isSandbox: Bool) -> APIDocument {
        APIDocument(
            version: version, publicURL: publicURL, surfaces: surfaces(isSandbox: isSandbox),
            example: RecordedAnswers().answer(to:))
    }

    static func sessionSurfaces(isSandbox: Bool) -> [SurfaceDescription] {
        ([PlatformSurface.sessionDescription, ClientSurface.description] + (isSandbox ? [SandboxSurface.inbox] : []))
            .map(\.forClients)
    }

    static func surfaces(isSandbox: Bool) -> [SurfaceDescription] {
        let always = [
            PlatformSurface.description, IdentitySurface.description, WebhookSurface.description,
            AuthSurface.description, AppSurface.description,
            ClientSurface.description, MobileAuthSurface.description, LinkSurface.description,
            OperationsSurface.description, DocsSurface.description,
        ]
        return always
            + (isSandbox
                ? [SandboxSurface.description, SimulatedOperator.description] : [MessageSurface.description])
    }

    static func operations(isSandbox: Bool) -> [Operation] { surfaces(isSandbox: isSandbox).flatMap(\.operations) }
}

extension APIDocument.Info {
    /// Title and summary of the document with only the calls of a session.
    fileprivate static let session = APIDocument.Info(
        title: "Holdfast sessions", summary: "The calls of one session, for clients that are generated.",
        detail: "As in /openapi.json, which describes every call of this format.")
}
