internal import HTTPServer
internal import SurfaceKit

// Calls about the buckets of a rate limit.

/// `GET .../Buckets`
struct ListBuckets: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .get, TwilioPath.buckets, id: "ListBucket", "List the buckets of a rate limit",
        "A rate limit has at most 10.", answer: "The buckets.")
    static let body = Shape(RateLimitOrder())
    static let parameters = Parameters<RateLimitOrder, TwilioError> {
        RateLimitOrder.ofLimit
        ParameterMember.onePage
    }
    static let reply = BucketPage.reply

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> BucketPage {
        BucketPage(
            buckets: try limits.buckets(of: order.limit, caller),
            place: .only(of: request, publicURL: limits.publicURL))
    }
}

/// `POST .../Buckets`: adds one.
///
///     Max=4&Interval=60  ->  201 {"sid":"BL...","max":4,"interval":60,...}
struct CreateBucket: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .post, TwilioPath.buckets, id: "CreateBucket", "Add a bucket to a rate limit",
        "So many messages in so long, for each value. Each interval once.",
        body: .form(#"{"Max":4,"Interval":60}"#))
    static let body = RateLimitOrder.bucket(isNew: true)
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofLimit }
    static let reply = CreatedReply(BucketDocument.reply, "The bucket.", example: BucketDocument.example)
    static let refusals: [TwilioError] = [.bucketsFull, .intervalTaken]

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> BucketDocument {
        guard let most = order.most, let seconds = order.seconds else { throw .parameter(.missing("Max")) }
        return try await limits.addBucket(most: most, seconds: seconds, to: order.limit, caller)
    }
}

/// `GET .../Buckets/{Sid}`
struct FetchBucket: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .get, TwilioPath.bucket, id: "FetchBucket", "Read a bucket", "", answer: "The bucket.")
    static let body = Shape(RateLimitOrder())
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofBucket }
    static let reply = BucketDocument.reply

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> BucketDocument {
        try limits.bucket(order.bucket, of: order.limit, caller)
    }
}

/// `POST .../Buckets/{Sid}`: changes it.
struct UpdateBucket: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .post, TwilioPath.bucket, id: "UpdateBucket", "Change a bucket",
        "What it has counted stays counted. What is absent stays as it is.",
        body: .form(#"{"Max":5}"#), answer: "The bucket.")
    static let body = RateLimitOrder.bucket(isNew: false)
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofBucket }
    static let reply = BucketDocument.reply
    static let refusals: [TwilioError] = [.intervalTaken]

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> BucketDocument {
        try await limits.changeBucket(
            order.bucket, of: order.limit, most: order.most, seconds: order.seconds, caller)
    }
}

/// `DELETE .../Buckets/{Sid}`
struct DeleteBucket: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .delete, TwilioPath.bucket, id: "DeleteBucket", "Remove a bucket", "What it has counted is forgotten.")
    static let body = Shape(RateLimitOrder())
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofBucket }
    static let reply = ResponseReply<Nothing>.removed

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> Nothing {
        try await limits.removeBucket(order.bucket, of: order.limit, caller)
        return Nothing()
    }
}
