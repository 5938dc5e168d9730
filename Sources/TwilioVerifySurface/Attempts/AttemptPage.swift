internal import SurfaceKit

/// One page of a list of attempts.
struct AttemptPage: Sendable {
    let attempts: [AttemptDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always("attempts", .list(of: .object(AttemptDocument.reply)), "The newest first.") { $0.attempts }
        ReplyMember.always(
            "meta", .object(PageMeta.reply("AttemptsMeta", of: "attempts")),
            "The place of the page, and the URL of the next one."
        ) { $0.place }
    }
}
