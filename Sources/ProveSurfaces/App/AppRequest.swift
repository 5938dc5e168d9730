internal import Possession
internal import SurfaceKit

/// Parts that the steps after the first share. Members nobody asks for are ignored, as on the platform surface.
enum AppRequest {
    /// Errors that these steps may answer.
    static let refusals: [AppError] = [
        .noFlow, .unknownFlow, .endedFlow, .platform(.stepNotAllowed), .platform(.sourceUnavailable),
    ]

    /// `AppService.FlowCredential` has read it before the other members are.
    static func authID<Body>() -> Member<Body> {
        .ignored("authId", .sessionID, "Has to name the same run; alone it opens one where app.acceptAuthId is set.")
    }
}
