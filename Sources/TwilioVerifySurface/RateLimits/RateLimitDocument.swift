internal import Possession
internal import SurfaceKit

/// A rate limit of a service, as callers see it.
struct RateLimitDocument: Sendable {
    let quota: Quota
    let caller: AccountSIDs
    let url: String

    init(_ quota: Quota, of caller: AccountSIDs, publicURL: String) {
        self.quota = quota
        self.caller = caller
        let sid = SID(.rateLimit, quota.id.bytes).text
        url = "\(publicURL)\(TwilioPath.services)/\(caller.service.text)/RateLimits/\(sid)"
    }

    static let reply = Reply<Self>(name: "RateLimit", example: example) {
        ReplyMember.always("sid", .sid(.rateLimit), "Names the rate limit in paths.") {
            SID(.rateLimit, $0.quota.id.bytes)
        }
        ReplyMember.always("service_sid", .sid(.service), "The service that has the rate limit.") { $0.caller.service }
        ReplyMember.always("account_sid", .sid(.account), "The account, which is the API client.") { $0.caller.account }
        ReplyMember.always("unique_name", .text, "By which calls name it.") { $0.quota.name }
        ReplyMember.always("description", .text, "As a call has set it. Empty without one.") { $0.quota.about }
        ReplyMember.always("date_created", .moment, "When the rate limit was added, UTC.") { $0.quota.createdAt }
        ReplyMember.always("date_updated", .moment, "When the rate limit was added or last changed, UTC.") {
            $0.quota.changedAt
        }
        ReplyMember.always("url", .text(.text(format: "uri")), "The URL that reads the rate limit.") { $0.url }
        ReplyMember.always("links", .object(links), "The URLs of calls about the rate limit.") { $0.url }
    }

    private static let links = Reply<String>(name: "RateLimitLinks") {
        ReplyMember.always("buckets", .text(.text(format: "uri")), "The URL of its buckets.") { "\($0)/Buckets" }
    }

    static let example: StaticString = """
        {"sid":"RK019b79078d5875008000000000000002","service_sid":"VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e",\
        "account_sid":"AC0123456789abcdef0123456789abcdef","unique_name":"end_user_ip_address","description":"",\
        "date_created":"2026-01-01T10:00:00Z","date_updated":"2026-01-01T10:00:00Z",\
        "url":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/RateLimits/RK019b79078d5875008000000000000002",\
        "links":{"buckets":"http://127.0.0.1:8080/twilio-verify/v2/Services/VA0f7b0c9d8e6a5b4c3d2e1f0a9b8c7d6e/RateLimits/RK019b79078d5875008000000000000002/Buckets"}}
        """
}

/// The rate limits of a service. Always one page.
struct RateLimitPage: Sendable {
    let limits: [RateLimitDocument]
    let place: PageMeta.Place

    static let reply = Reply<Self> {
        ReplyMember.always(
            "rate_limits", .list(of: .object(RateLimitDocument.reply)), "All rate limits of the service, on one page."
        ) { $0.limits }
        ReplyMember.always(
            "meta", .object(PageMeta.reply("RateLimitsMeta", of: "rate_limits")),
            "The place of the page: the list has one page."
        ) { $0.place }
    }
}
