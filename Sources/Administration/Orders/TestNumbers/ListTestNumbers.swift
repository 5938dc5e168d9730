internal import Possession
internal import SurfaceKit

/// Lists the test numbers, which get no messages.
struct ListTestNumbers: ReadingOrder {
    static let call = OrderCall(.get, "/control/testnumbers", Self.init)
    static let reply = Reply.list("testNumbers", of: listed)

    /// A test number without its code, and with most of its digits masked.
    static let listed = Reply<(entry: TestNumber, now: Timestamp)> {
        ReplyMember.always("phoneNumber", .text) { $0.entry.number.masked }
        ReplyMember.whenThere("clientId", .text) { $0.entry.tenant?.text }
        ReplyMember.always("createdAt", .moment) { $0.entry.createdAt }
        ReplyMember.always("endsAt", .moment) { $0.entry.endsAt }
        ReplyMember.always("passes", .flag) { $0.now < $0.entry.endsAt }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> [(entry: TestNumber, now: Timestamp)] {
        let now = administrator.now()
        return try administrator.allTestNumbers().map { ($0, now) }
    }
}
