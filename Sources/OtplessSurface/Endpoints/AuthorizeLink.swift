internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `GET /otpless/auth/v1/authorize`: sends a link, for the older libraries. Id and secret are in the URL; no log line
/// and no error repeats them.
///
///     ?client_id=sandbox&client_secret=...&mobile_number=%2B12001004014&redirect_uri=https%3A%2F%2Fapp.example%2Fdone
///     ->  200 {"requestIds":[{"type":"MOBILE","value":"019b..."}]}
struct AuthorizeLink: Endpoint {
    struct Order: Sendable {
        var link = CodeOrder(mayBeEmail: true, channelsField: "channel", link: LinkTerms(pageField: "redirect_uri"))
        var client: String?
        var secret: String?
        var challenge: String?
        var challengeMethod: String?
    }

    struct Begun: Sendable {
        let kind: IdentityReply.Kind
        let request: CorrelationID
    }

    let verifications: OtplessVerifications
    let gate: OtplessGate

    static let call = Call(
        .get, OtplessPath.current + "/authorize", id: "AuthorizeLink", "Send a link (older call)",
        """
        A call of the backend, not a page for a browser. The link opens a page that asks for one tap. The browser then goes \
        to redirect_uri with a code, which the backend redeems at /otpless/auth/token within 60 seconds. Where the header \
        fields clientId and clientSecret are there, they count, and not those of the URL. HEAD is refused.
        """, demand: .begins, answer: "The request.")
    static let body = Shape(Order()) {}
    static let parameters = Parameters<Order, OtplessError> {
        ParameterMember.optionalQuery("client_id", .text(.any), "Of the API client.") { $0.client = $1 }
        ParameterMember.optionalQuery("client_secret", .text(.any), "Of the API client.") { $0.secret = $1 }
        ParameterMember.requiredQuery("redirect_uri", .redirect, "The page that gets the code.") {
            $0.link.link?.page = $1
        }
        ParameterMember.optionalQuery(
            "mobile_number", .text(.phoneNumber), "With country code. The plus may be missing; as %2B it is one."
        ) { $0.link.number = $1 }
        ParameterMember.optionalQuery("email", .text(.freeText(254)), "In the place of a number.") {
            $0.link.email = $1
        }
        ParameterMember.optionalQuery("channel", .channel, "Else as the server has them.") { $0.link.channels = [$1] }
        ParameterMember.optionalQuery(
            "expiry", .wholeNumber(in: OtplessRules.lifetimes), "Of the link, in seconds. Else 300."
        ) { $0.link.expirySeconds = $1 }
        ParameterMember.optionalQuery(
            "code_challenge", .text(.any).described(as: ProofKey.challengeSchema),
            "Of the code_verifier that has to come with the code (RFC 7636)."
        ) { $0.challenge = $1 }
        ParameterMember.optionalQuery(
            "code_challenge_method", .text(.any).described(as: .choice([ProofKey.method])), "Beside code_challenge."
        ) { $0.challengeMethod = $1 }
    }
    static let reply = Reply<Begun>(
        headers: [("Cache-Control", "no-store")],
        example: #"{"requestIds":[{"type":"MOBILE","value":"019b7907-8d58-7500-8000-000000000001"}]}"#
    ) {
        ReplyMember.always("requestIds", .list(of: .object(item)), "One.") { [$0] }
    }
    private static let item = Reply<Begun>(name: "RequestID") {
        ReplyMember.always(
            "type", .choice(IdentityReply.Kind.allCases),
            "MOBILE: the link goes to a number. EMAIL: it goes to an address."
        ) { $0.kind }
        ReplyMember.always("value", .identifier(), "The request.") { $0.request }
    }
    static let refusals: [OtplessError] =
        [.field(.missing("redirect_uri"))] + InitiateOTP.refusals + OtplessGate.refusals

    /// The endpoint in the API description.
    static var operations: [Operation] {
        [operation(.otpless, caller: nil, schema: .anything, errors: [], shape: .otpless)]
    }

    var routes: [Route] {
        let get = SurfaceRoute<Self>(report: verifications.engine.reports.log).routes {
            request, form throws(OtplessError) in
            try await answer(request, from: Nothing(), form)
        }
        // HEAD would be answered as GET, but a call that asks only for header fields must send no message.
        let head = Route.immediate(.head, Self.call.path) { _ in
            Response(status: 405, headers: [("Allow", "GET, OPTIONS")])
        }
        return get + [head]
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(OtplessError) -> Begun {
        let tenant = try await gate.tenant(of: request, orNamed: order.client, secret: order.secret)
        var link = order.link
        link.link?.challenge = try verifications.challenge(order.challenge, by: order.challengeMethod)
        do throws(OtplessError) {
            let session = try await verifications.sendCode(link, for: tenant)
            request.note(session.correlationID)
            return Begun(kind: link.number == nil ? .email : .mobile, request: session.correlationID)
        } catch { throw error.naming(number: "mobile_number") }
    }
}
