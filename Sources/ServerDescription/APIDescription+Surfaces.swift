internal import ClientSurfaces
internal import MessageSurfaces
internal import OperationsSurfaces
internal import ProveSurfaces
internal import SandboxSurfaces
internal import StrictJSON
package import SurfaceKit

/// The description of every surface that the server has.
extension APIDescription {
    /// - Parameters:
    ///   - publicURL: scheme and authority of this server as its callers reach it.
    ///   - isSandbox: whether the sandbox surfaces exist.
    ///   - sha256: the digest by which versions are told apart, and by which the page's policy names its style.
    package init(publicURL: String, isSandbox: Bool, sha256: @Sendable ([UInt8]) -> [UInt8]) {
        self.init(
            publicURL: publicURL, surfaces: Self.surfaces(isSandbox: isSandbox),
            example: RecordedAnswers.answer(to:), sha256: sha256)
    }

    /// The document of a surface that has one of its own: the wire format of another vendor.
    package init(
        of surface: SurfaceDescription, _ info: APIDocument.Info, publicURL: String,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.init(info, publicURL: publicURL, surfaces: [surface], example: RecordedAnswers.answer(to:), sha256: sha256)
    }

    static func document(publicURL: String, isSandbox: Bool) -> JSONObject {
        APIDocument(
            publicURL: publicURL, surfaces: surfaces(isSandbox: isSandbox), example: RecordedAnswers.answer(to:)
        ).object
    }

    static func surfaces(isSandbox: Bool) -> [SurfaceDescription] {
        let always = [
            PlatformSurface.description, IdentitySurface.description, WebhookSurface.description,
            AuthSurface.description, AppSurface.description,
            ClientSurface.description, MobileAuthSurface.description, LinkSurface.description,
            OperationsSurface.description,
        ]
        return always
            + (isSandbox
                ? [SandboxSurface.description, SimulatedOperator.description] : [MessageSurface.description])
    }

    static func operations(isSandbox: Bool) -> [Operation] { surfaces(isSandbox: isSandbox).flatMap(\.operations) }
}
