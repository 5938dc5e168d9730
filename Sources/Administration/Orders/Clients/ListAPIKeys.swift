internal import Possession
internal import SurfaceKit

/// Lists the API keys and SDK keys of an API client without their texts.
struct ListAPIKeys: ReadingOrder {
    let client: ClientID

    static let call = OrderCall(.get, "/control/clients/{id}/keys", Self.init, .client(\.client))
    static let reply = Reply.list("keys", of: listed)

    /// A key without its text.
    static let listed = Reply<APIKey> { members }
    static let members = [
        ReplyMember<APIKey>.always("id", .identifier()) { $0.id },
        .always("kind", .text) { $0.kind.rawValue },
        .always("client", .text) { $0.client.text },
        .whenThere("name", .text) { $0.name.isEmpty ? nil : $0.name },
        .always("ending", .text) { $0.ending },
        .always("createdAt", .moment) { $0.createdAt },
    ]

    func respond(_ administrator: Administrator) async throws(Refusal) -> [APIKey] {
        try await administrator.keys(of: client)
    }
}
