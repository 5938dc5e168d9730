internal import HTTPServer
internal import SurfaceKit

// Calls about the rate limits of a service.

/// `GET .../RateLimits`
struct ListRateLimits: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .get, TwilioPath.rateLimits, id: "ListRateLimit", "List the rate limits of a service",
        "A service has at most 20.", answer: "The rate limits.")
    static let parameters = Parameters<Nothing, TwilioError> {
        ParameterMember.service
        ParameterMember.onePage
    }
    static let reply = RateLimitPage.reply

    func respond(
        to nothing: Nothing, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitPage {
        RateLimitPage(limits: limits.all(of: caller), place: .only(of: request, publicURL: limits.publicURL))
    }
}

/// `POST .../RateLimits`: adds one.
///
///     UniqueName=end_user_ip_address  ->  201 {"sid":"RK...","unique_name":"end_user_ip_address",...}
struct CreateRateLimit: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .post, TwilioPath.rateLimits, id: "CreateRateLimit", "Add a rate limit to a service",
        """
        Calls that send a code name it, with a value of their own, in RateLimits. It limits nothing until it has a bucket: so \
        many messages in so long, for each value.
        """,
        body: .form(#"{"UniqueName":"end_user_ip_address"}"#))
    static let body = Shape(RateLimitOrder()) {
        Member.required("UniqueName", .text(.reference), "1 to 64 of A-Z a-z 0-9 . _ -") { $0.name = $1 }
        RateLimitOrder.description
    }
    static let parameters = Parameters<RateLimitOrder, TwilioError> { ParameterMember.service }
    static let reply = CreatedReply(RateLimitDocument.reply, "The rate limit.", example: RateLimitDocument.example)
    static let refusals: [TwilioError] = [.rateLimitName, .rateLimitTaken, .rateLimitsFull, .servicesFull]

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitDocument {
        try await limits.add(order.name, order.about ?? "", to: caller)
    }
}

/// `GET .../RateLimits/{RateLimitSid}`
struct FetchRateLimit: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .get, TwilioPath.rateLimit, id: "FetchRateLimit", "Read a rate limit", "", answer: "The rate limit.")
    static let body = Shape(RateLimitOrder())
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofLimit }
    static let reply = RateLimitDocument.reply

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitDocument {
        try limits.limit(order.limit, of: caller)
    }
}

/// `POST .../RateLimits/{RateLimitSid}`: changes its description.
struct UpdateRateLimit: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .post, TwilioPath.rateLimit, id: "UpdateRateLimit", "Describe a rate limit in another way",
        "Its name stays as it is.", body: .form(#"{"Description":"of a device"}"#), answer: "The rate limit.")
    static let body = Shape(RateLimitOrder()) { RateLimitOrder.description }
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofLimit }
    static let reply = RateLimitDocument.reply

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> RateLimitDocument {
        try await limits.describe(order.limit, order.about, of: caller)
    }
}

/// `DELETE .../RateLimits/{RateLimitSid}`: removes it with its buckets.
struct DeleteRateLimit: TwilioEndpoint {
    let limits: RateLimits

    static let call = Call(
        .delete, TwilioPath.rateLimit, id: "DeleteRateLimit", "Remove a rate limit", "With its buckets.")
    static let body = Shape(RateLimitOrder())
    static let parameters = Parameters<RateLimitOrder, TwilioError> { RateLimitOrder.ofLimit }
    static let reply = ResponseReply<Nothing>.removed

    func respond(
        to order: RateLimitOrder, of request: Request, from caller: TwilioCaller
    ) async throws(TwilioError) -> Nothing {
        try await limits.remove(order.limit, of: caller)
        return Nothing()
    }
}
