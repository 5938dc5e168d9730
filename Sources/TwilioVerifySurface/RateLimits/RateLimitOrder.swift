internal import Possession
internal import SurfaceKit

/// A call about a rate limit, or about one of its buckets.
struct RateLimitOrder: Sendable {
    var limit = QuotaID(high: 0, low: 0)
    var bucket = QuotaWindowID(high: 0, low: 0)
    var name = ""
    var about: String?
    var most: Int?
    var seconds: Int?

    /// Members of a bucket.
    static func bucket(isNew: Bool) -> Shape<RateLimitOrder> {
        Shape(RateLimitOrder()) {
            number("Max", Quota.Window.mostBounds, "Messages in the interval.", isNeeded: isNew) { $0.most = $1 }
            number("Interval", Quota.Window.secondsBounds, "In seconds: a day at most.", isNeeded: isNew) {
                $0.seconds = $1
            }
        }
    }

    private static func number(
        _ name: String, _ bounds: ClosedRange<Int>, _ about: String, isNeeded: Bool,
        _ set: @escaping @Sendable (inout RateLimitOrder, Int) -> Void
    ) -> Member<RateLimitOrder> {
        isNeeded
            ? Member.required(name, .formInteger(bounds), about) { set(&$0, $1) }
            : Member.optional(name, .formInteger(bounds), about, set)
    }

    static let description = Member<RateLimitOrder>.optional(
        "Description", .text(.reference), "For the caller."
    ) { $0.about = $1 }

    /// Parameters of a call about one rate limit, or about all of its buckets.
    @ParameterBuilder<RateLimitOrder, TwilioError>
    static var ofLimit: [ParameterMember<RateLimitOrder, TwilioError>] {
        ParameterMember.service
        ParameterMember.path("RateLimitSid", .sid(.rateLimit), "The rate limit.", orRefuse: .notFound) {
            $0.limit = QuotaID(bytes: $1.bytes)
        }
    }

    /// Parameters of a call about one bucket.
    @ParameterBuilder<RateLimitOrder, TwilioError>
    static var ofBucket: [ParameterMember<RateLimitOrder, TwilioError>] {
        ofLimit
        ParameterMember.path("Sid", .sid(.bucket), "The bucket.", orRefuse: .notFound) {
            $0.bucket = QuotaWindowID(bytes: $1.bytes)
        }
    }
}
