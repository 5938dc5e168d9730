internal import Engine
internal import Possession
internal import SurfaceKit

/// Lists the keys of an API client's apps without their secrets.
struct ListApplicationKeys: ReadingOrder {
    typealias Listed = (applicationKey: String, standing: String, until: Timestamp?)

    let client: ClientID

    static let call = OrderCall(.get, "/control/clients/{id}/app-keys", Self.init, .client(\.client))
    static let reply = Reply.list("keys", of: listed)
    private static let listed = Reply<Listed> {
        ReplyMember.always("applicationKey", .text) { $0.applicationKey }
        ReplyMember.always("standing", .text) { $0.standing }
        ReplyMember.whenThere("until", .moment) { $0.until }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [Listed] {
        guard let ring = try await administrator.application(of: client)?.keys else { return [] }
        let previous = ring.previous.map { previous in
            let standing = administrator.now() < previous.endsAt ? "previous" : "ended"
            return (previous.keys.applicationKey, standing, previous.endsAt) as Listed
        }
        return [(ring.current.applicationKey, "current", nil)] + [previous].compactMap(\.self)
    }
}
