package import SurfaceKit

/// The texts of this surface's API description.
extension PreludeSurface {
    package static let documentPath = "/prelude/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for Prelude's SDKs",
        summary: "Verifies phone numbers by the wire format of Prelude Verify, version 2.",
        detail: """
            The server URL of an SDK is this server's, followed by /prelude. Every response has X-Request-Id, and every error \
            has it as request_id. In requests, null and "" count as absent, and members that are not described are ignored. \
            Times are RFC 3339 in UTC. What is the same as at Prelude, and what is not, is in docs/prelude.md.
            """)
}
