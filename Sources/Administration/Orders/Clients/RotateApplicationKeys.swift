internal import Engine
internal import Possession
internal import SurfaceKit

/// Gives an API client new keys for its apps.
struct RotateApplicationKeys: Order, Equatable {
    /// Days for which the previous keys are still accepted. After two years hardly any phone has the old app.
    static let overlaps = 0...730
    static let standardOverlap = 90

    let client: ClientID
    let overlapDays: Int

    static let call = OrderCall(
        .post, "/control/clients/{id}/app-keys/rotate", Self.init, .client(\.client),
        .required("overlapDays", .integer(overlaps), \.overlapDays))
    static let reply = Reply<(credentials: ApplicationCredentials, previousEndsAt: Timestamp?)> {
        ReplyMember.part({ $0.credentials }, ExportApplicationKeys.members)
        ReplyMember.whenThere("previousUntil", .moment) { $0.previousEndsAt }
    }
    var act: OperatorAct? {
        OperatorAct(
            "application keys rotated", .applicationKeysRotated, client: client, ["overlapDays": String(overlapDays)])
    }

    func respond(
        _ administrator: Administrator
    ) async throws(Refusal) -> (credentials: ApplicationCredentials, previousEndsAt: Timestamp?) {
        try await administrator.rotateApplicationKeys(of: client, overlapDays: overlapDays)
    }
}
