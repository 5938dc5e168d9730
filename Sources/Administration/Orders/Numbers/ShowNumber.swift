internal import Possession
internal import SurfaceKit

/// Shows what limits have counted for a number or an address.
struct ShowNumber: ReadingOrder {
    typealias Counted = (client: ClientID, check: NumberStanding.Check)

    let target: Target

    static let call = OrderCall(.post, "/control/numbers/show", Self.init, .target(\.target))
    static let reply = Reply.list("checks", of: counted)
    private static let counted = Reply<Counted> {
        ReplyMember.always("client", .text) { $0.client.text }
        ReplyMember.always("limit", .text) { $0.check.limit.rawValue }
        ReplyMember.always("counted", .count) { $0.check.counted }
        ReplyMember.always("failuresInARow", .count) { $0.check.failuresInARow }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [Counted] {
        try await administrator.standings(of: target).flatMap { standing in
            standing.checks.map { (standing.client, $0) }
        }
    }
}
