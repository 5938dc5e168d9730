internal import Possession
internal import SurfaceKit
internal import Text

/// Gives an API client a new secret.
struct RotateClientSecret: Order {
    /// The overlap in hours. A month is enough for any deployment, and the limit makes sure that an old secret ends.
    static let overlaps = 0...720
    static let standardOverlap = 24

    let client: ClientID
    /// `nil`: make a random one.
    let secret: Secret?
    /// How long the previous secret stays valid, in hours; 0: it becomes invalid at once.
    let overlapHours: Int

    init(_ client: ClientID, secret: Secret? = nil, overlapHours: Int = standardOverlap) {
        self.client = client
        self.secret = secret
        self.overlapHours = overlapHours
    }

    static let call = OrderCall(
        .post, "/control/clients/{id}/secret", Self.init, .client(\.client),
        .optional("secret", .secret, \.secret),
        .optional("overlapHours", .integer(overlaps), \.overlapHours, or: standardOverlap))
    static let reply = Reply<(client: Tenant, secret: Secret)> {
        ReplyMember.always("id", .text) { $0.client.id.text }
        ReplyMember.always("secret", .text) { $0.secret.text }
        ReplyMember.whenThere("oldSecretUntil", .moment) { $0.client.otherSecretUntil }
    }
    var act: OperatorAct? {
        OperatorAct(
            "API client got a new secret", .clientSecretRotated, client: client,
            ["overlapHours": String(overlapHours)])
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> (client: Tenant, secret: Secret) {
        try await administrator.rotateSecret(client, to: secret, overlapHours: overlapHours)
    }
}
