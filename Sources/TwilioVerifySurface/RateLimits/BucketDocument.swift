internal import Possession
internal import SurfaceKit

/// A bucket of a rate limit, as callers see it: a number of messages in an interval.
struct BucketDocument: Sendable {
    let window: Quota.Window
    let quota: QuotaID
    let caller: AccountSIDs
    let url: String

    init(_ window: Quota.Window, of quota: QuotaID, _ caller: AccountSIDs, publicURL: String) {
        self.window = window
        self.quota = quota
        self.caller = caller
        let (limit, sid) = (SID(.rateLimit, quota.bytes).text, SID(.bucket, window.id.bytes).text)
        url = "\(publicURL)\(TwilioPath.services)/\(caller.service.text)/RateLimits/\(limit)/Buckets/\(sid)"
    }

    static let reply = Reply<Self>(name: "Bucket", example: example) {
        ReplyMember.always("sid", .sid(.bucket), "Names the bucket in paths.") { SID(.bucket, $0.window.id.bytes) }
        ReplyMember.always("rate_limit_sid", .sid(.rateLimit), "The rate limit that has the bucket.") {
            SID(.rateLimit, $0.quota.bytes)
        }
        ReplyMember.always("service_sid", .sid(.service), "The service that has the rate limit.") { $0.caller.service }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.caller.account }
        ReplyMember.always("max", .integer(Quota.Window.mostBounds), "Messages in the interval.") { $0.window.most }
        ReplyMember.always("interval", .integer(Quota.Window.secondsBounds), "In seconds.") { $0.window.seconds }
        ReplyMember.always("date_created", .moment, "When the bucket was added, UTC.") { $0.window.createdAt }
        ReplyMember.always("date_updated", .moment, "When the bucket was added or last changed, UTC.") {
            $0.window.changedAt
        }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads the bucket.") { $0.url }
    }

    static let example: StaticString = """
        {"sid":"BL019b79078d5875008000000000000003","rate_limit_sid":"RK019b79078d5875008000000000000002",\
        "service_sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e","account_sid":"AC0123456789abcdef0123456789abcdef",\
        "max":4,"interval":60,"date_created":"2026-01-01T10:00:00Z","date_updated":"2026-01-01T10:00:00Z",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/RateLimits/RK019b79078d5875008000000000000002/Buckets/BL019b79078d5875008000000000000003"}
        """
}

/// The buckets of a rate limit. Always one page.
struct BucketPage: Sendable {
    let buckets: [BucketDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always(
            "buckets", .list(of: .object(BucketDocument.reply)), "All buckets of the rate limit, on one page."
        ) { $0.buckets }
        ReplyMember.always(
            "meta", .object(PageMeta.reply("BucketsMeta", of: "buckets")),
            "The place of the page: the list has one page."
        ) { $0.place }
    }
}
