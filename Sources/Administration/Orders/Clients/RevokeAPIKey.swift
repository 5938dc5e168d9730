internal import Possession
internal import SurfaceKit

/// Revokes an API key or an SDK key: its next call is refused.
struct RevokeAPIKey: Order {
    let id: APIKeyID

    static let call = OrderCall(
        .post, "/control/api-keys/{id}/revoke", Self.init, .id(.identifier, \.id, orRefuse: .unknownKey))
    static let reply = ListAPIKeys.listed
    var act: OperatorAct? { OperatorAct("API key revoked", .apiKeyRevoked, ["key": id.text]) }

    func respond(_ administrator: Administrator) async throws(Refusal) -> APIKey {
        try await administrator.revokeKey(id)
    }
}
