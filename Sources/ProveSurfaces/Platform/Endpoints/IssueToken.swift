internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

/// `POST /token`: an app's backend trades its credentials for an access token (RFC 6749 section 4.4).
///
///     grant_type=client_credentials&client_id=sandbox&client_secret=...
///     ->  200 {"access_token":"eyJ...","token_type":"Bearer","expires_in":3600}
///
/// The credentials may come as `Authorization: Basic` instead.
struct IssueToken: Sendable {
    let check: ClientCredentialsCheck
    let engine: Engine
    /// `nil` where failed calls are not limited (sandbox, contract section 8).
    let failures: FailedTokenCalls?
    let addresses: ClientAddress
    let systemNow: Now

    private static let grantType = "grant_type"
    private static let clientID = "client_id"
    private static let clientSecret = "client_secret"
    /// The life of an access token; a bare integer on the wire (Prove 13.4).
    private static let lifetimeSeconds = 3600

    static let operation = Operation(
        id: "issueToken", method: .post, path: "/token", surface: .platform, summary: "Get an access token",
        detail: """
            OAuth 2.0 client credentials (RFC 6749 section 4.4). Client id and secret stand in the form, or in \
            Authorization: Basic.
            """,
        body: .form(
            .record(
                [
                    must(grantType, .choice(["client_credentials"])),
                    may(clientID, .text(), "Unless in Authorization."),
                    may(clientSecret, .text(), "Unless in Authorization."),
                ], others: true),
            #"{"grant_type":"client_credentials","client_id":"sandbox","client_secret":"sandbox-secret"}"#),
        answers: [
            Answer(status: 200, about: "The token.", content: .json(reply.schema), headers: ["Cache-Control"])
        ],
        errors: [
            PlatformError.tokenField(.missing(grantType)), .tokenBody(.malformed(reason: "...")),
            .unsupportedGrantType, .invalidClient, .tokenBody(.mediaType(expected: RequestBody.form)),
            .tokenBody(.tooLarge(.short)), .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded,
            .internalFault(""),
        ].map(\.response),
        errorShape: .token, bound: .short)

    private enum TokenType: String { case bearer = "Bearer" }

    /// Of a token.
    private static let reply = Reply<String> {
        ReplyMember.always("access_token", .text) { $0 }
        ReplyMember.always("token_type", .choice([TokenType.bearer])) { _ in .bearer }
        ReplyMember.always("expires_in", .integer(1...Int.max), "Seconds.") { _ in lifetimeSeconds }
    }

    /// - Throws: `.tokenBody`, `.tokenField`, `.unsupportedGrantType`, `.invalidClient`, `.rateLimited`, `.overloaded`,
    ///   `.internalFault`.
    func respond(to request: Request) async throws(PlatformError) -> Response {
        let form = try form(of: request)
        guard let grantType = form[Self.grantType] else { throw .tokenField(.missing(Self.grantType)) }
        guard grantType.isSame(as: "client_credentials") else { throw .unsupportedGrantType }
        let (name, secret) = try credentials(of: request, form)
        let address = addresses.of(request)
        if let seconds = failures?.wait(address: address, client: name, at: systemNow()) {
            engine.noteLimit(.failedTokenCalls, nil)
            throw .rateLimited(LimitHit(.failedTokenCalls, retryAfterSeconds: seconds))
        }
        guard let tenant = try await check.tenant(named: name, secret: secret) else {
            failures?.record(address: address, client: name, at: systemNow())
            throw .invalidClient
        }
        request.notes?.note(caller: tenant.id.text)
        return try answer(to: tenant)
    }

    func route(_ gate: PlatformGate) -> Route {
        Route(Self.operation.method, Self.operation.path, body: Self.bodyRule) { request in
            await PlatformError.answer(request, report: engine.report) { () async throws(PlatformError) in
                try await respond(to: request)
            }
        }
    }

    private static let bodyRule = BodyRule(
        maxBytes: BodyBound.short.bytes, refusal: refusal(ofHead:),
        tooLarge: { _ in PlatformError.tokenBody(.tooLarge(.short)).response })

    private static func refusal(ofHead request: Request) -> Response? {
        do throws(BodyDefect) {
            try RequestBody.checkHead(request, mediaType: RequestBody.form, upTo: .short)
            return nil
        } catch {
            return PlatformError.tokenBody(error).response
        }
    }

    private func form(of request: Request) throws(PlatformError) -> FormBody {
        do throws(BodyDefect) {
            try RequestBody.check(request, mediaType: RequestBody.form)
        } catch {
            throw .tokenBody(error)
        }
        do throws(FormBody.Defect) {
            return try FormBody(request.body, known: [Self.grantType, Self.clientID, Self.clientSecret])
        } catch {
            switch error {
            case .tooMany: throw .tokenBody(.malformed(reason: "it has too many fields"))
            case .encoding: throw .tokenBody(.malformed(reason: "it is not form-encoded UTF-8"))
            case .twice(let name?): throw .tokenField(FieldDefect(name, "is there twice"))
            case .twice(nil): throw .tokenBody(.malformed(reason: "a field is there twice"))
            }
        }
    }

    private func credentials(
        of request: Request, _ form: FormBody
    ) throws(PlatformError) -> (name: String, secret: String) {
        guard let value = request.headers.bytes("authorization") else {
            guard let name = form[Self.clientID] else { throw .tokenField(.missing(Self.clientID)) }
            guard let secret = form[Self.clientSecret] else { throw .tokenField(.missing(Self.clientSecret)) }
            return (name, secret)
        }
        // One way of authentication a request (RFC 6749 section 2.3).
        guard request.headers.count("authorization") == 1, let word = Credentials(value).token(of: "basic"),
            let basic = BasicCredentials(word)
        else {
            throw .invalidClient
        }
        guard form[Self.clientSecret] == nil else {
            throw .tokenField(FieldDefect(Self.clientSecret, "must not be sent beside Authorization: Basic"))
        }
        guard form[Self.clientID]?.isSame(as: basic.name) ?? true else {
            throw .tokenField(FieldDefect(Self.clientID, "differs from the one in Authorization: Basic"))
        }
        return (basic.name, basic.password)
    }

    private func answer(to tenant: Tenant) throws(PlatformError) -> Response {
        let token: String
        do {
            token = try engine.tokens.issueAccessToken(
                for: tenant.id, jti: try engine.randomBytes(16), at: engine.now())
        } catch {
            throw .internalFault("an access token could not be made")
        }
        var response = Response.json(200, Self.reply.object(token))
        response.add("Cache-Control", "no-store")
        return response
    }
}
