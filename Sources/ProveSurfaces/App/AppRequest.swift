internal import Possession
internal import SurfaceKit

/// Parts that the steps after the first share. Unknown members are ignored, as on the platform surface.
enum AppRequest {
    /// Errors that these steps may return.
    static let refusals: [AppError] = [
        .noFlow, .unknownFlow, .endedFlow, .platform(.stepNotAllowed), .platform(.sourceUnavailable),
    ]

    /// Ignored here, because `AppService.FlowCredential` reads it before the other members.
    static func authID<Body>() -> Member<Body> {
        .ignored("authId", .sessionID, "Has to name the same run; alone it opens one where app.acceptAuthId is set.")
    }
}
