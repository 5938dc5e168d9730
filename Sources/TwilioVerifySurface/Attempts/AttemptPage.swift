internal import SurfaceKit

/// The attempts of one verification: at most as many as it has messages, so there is one page.
struct AttemptPage: Sendable {
    let attempts: [AttemptDocument]
    let url: String

    static let reply = Reply<Self> {
        ReplyMember.always("attempts", .list(of: .object(AttemptDocument.reply)), "The newest first.") { $0.attempts }
        ReplyMember.always("meta", .object(PageMeta.reply("AttemptsMeta", of: "attempts"))) { $0.url }
    }
}
