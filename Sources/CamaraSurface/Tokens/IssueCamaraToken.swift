internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// `POST /camara/token`: a backend exchanges a signed assertion for an access token (RFC 6749 section 4.4, RFC 7523;
/// CAMARA Identity and Consent Management r4.2). In a JWT bearer grant the assertion is everything: it authenticates
/// the backend, and names the scopes and the person of the token.
///
///     grant_type=client_credentials&scope=dpv:FraudPreventionAndDetection one-time-password-sms:send-validate
///     &client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=eyJ...
///     ->  200 {"access_token":"eyJ...","token_type":"Bearer","expires_in":3600,"scope":"..."}
///
///     grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=eyJ...
struct IssueCamaraToken: Endpoint {
    struct Order: Sendable {
        var grantType = ""
        var scope: String?
        var assertionType: String?
        var clientAssertion: String?
        var assertion: String?
        var clientID: String?
    }

    struct Issued: Sendable {
        let token: String
        let scope: String
        let seconds: Int
    }

    let logins: ClientLogin
    let engine: Engine
    let keys: any ClientKeyVerifier
    /// The audience of the tokens.
    let audience: String
    /// Audiences that an assertion may name.
    let tokenAudiences: [String]
    let used: UsedAssertions
    let uses: SharedUses
    let sha256: @Sendable ([UInt8]) -> [UInt8]
    /// The machine's clock, because the signer also uses its machine's clock.
    let systemNow: Now
    let numbers: NumberProofs

    static let call = Call(
        .post, CamaraPath.token, id: "issueCamaraToken", "Get an access token",
        """
        Client credentials, with a client assertion (private_key_jwt, ES256): iss and sub are the client id, aud is the URL \
        of this call, exp is at most 300 seconds away, and jti is used once. The key is one of the API client's public keys. \
        Or a JWT bearer grant: sub is then tel: and a number, or operatortoken: and a token that the phone got of its \
        operator (GSMA TS.43), and scope stands in the assertion.
        """,
        body: .form(
            """
            {"grant_type":"client_credentials",\
            "scope":"dpv:FraudPreventionAndDetection one-time-password-sms:send-validate",\
            "client_assertion_type":"urn:ietf:params:oauth:client-assertion-type:jwt-bearer","client_assertion":"eyJhbGciOiJFUzI1NiJ9.e30.AA"}
            """, upTo: .session), demand: .begins, answer: "The token.")

    static let grantTypes = ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"]
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    private static let purpose = "dpv:"
    private static let lifetime = Duration.seconds(3600)
    private static let jwt = TextRule(maxCharacters: 8192, alphabet: .any)

    static let body = Shape(Order()) {
        Member.required(
            "grant_type", Input.anyText.described(as: .choice(grantTypes)),
            "client_credentials: for the API client. jwt-bearer: about the person whom assertion names."
        ) { $0.grantType = $1 }
        Member.optional(
            "scope", .text(.freeText(1024)),
            "One purpose, such as dpv:FraudPreventionAndDetection, and what the token is to allow."
        ) { $0.scope = $1 }
        Member.optional(
            "client_assertion_type", Input.anyText.described(as: .choice([assertionType])),
            "Due for client credentials."
        ) {
            $0.assertionType = $1
        }
        Member.optional("client_assertion", .text(jwt), "A JWT, for client credentials.") { $0.clientAssertion = $1 }
        Member.optional("assertion", .text(jwt), "A JWT, for a JWT bearer grant.") { $0.assertion = $1 }
        Member.optional("client_id", .anyText, "Where it is there, the one of the assertion.") { $0.clientID = $1 }
    }

    private enum TokenType: String { case bearer = "Bearer" }

    static let reply = Reply<Issued>(headers: [("Cache-Control", "no-store")]) {
        ReplyMember.always("access_token", .text, "A JWT, for the header Authorization of CAMARA calls.") { $0.token }
        ReplyMember.always("token_type", .choice([TokenType.bearer]), "Always Bearer.") { _ in .bearer }
        ReplyMember.always("expires_in", .integer(1...Int.max), "Seconds.") { $0.seconds }
        ReplyMember.always("scope", .text, "As it was asked for.") { $0.scope }
    }

    static let refusals: [TokenRefusal] = [
        .field(.missing("grant_type")), .unsupportedGrantType, .unauthorized, .invalidScope(""), .invalidGrant(""),
        .rateLimited(.init(.tenantRate, retryAfterSeconds: 1)), .overloaded, .internalFault(""),
    ]

    /// The endpoint in the API description.
    static var operations: [Operation] {
        let described = operation(
            .camaraTokens, caller: nil, schema: body.schema(others: true),
            errors: call.body.defects.map { TokenRefusal($0) }, shape: .camaraToken)
        return [described]
    }

    var routes: [Route] {
        SurfaceRoute<Self>(report: engine.reports.log).routes { request, form throws(TokenRefusal) in
            try await answer(request, from: Nothing(), form)
        }
    }

    func respond(to order: Order, of request: Request, from caller: Nothing) async throws(TokenRefusal) -> Issued {
        switch Self.grantTypes.firstIndex(where: { $0.isSame(as: order.grantType) }) {
        case 0: return try await tokenForClient(order, request)
        case 1: return try await tokenForSubject(order, request)
        default: throw .unsupportedGrantType
        }
    }

    /// Issues a token to the client itself, without a person.
    private func tokenForClient(_ order: Order, _ request: Request) async throws(TokenRefusal) -> Issued {
        guard let scope = order.scope else { throw .field(.missing("scope")) }
        guard let assertion = order.clientAssertion else { throw .field(.missing("client_assertion")) }
        guard order.assertionType?.isSame(as: Self.assertionType) == true else {
            throw .field(FieldDefect("client_assertion_type", "must be \(Self.assertionType)"))
        }
        let (keys, audiences, now) = (keys, tokenAudiences, systemNow())
        let (_, tenant) = try await signer(of: assertion, order, request) { (known) throws(ProofFault) in
            let client = try keys.verify(assertion, by: known, for: audiences, at: now)
            return (client, client)
        }
        return try issue(to: tenant, Self.scopes(of: scope), about: nil)
    }

    /// Issues a token about the person that the assertion names.
    private func tokenForSubject(_ order: Order, _ request: Request) async throws(TokenRefusal) -> Issued {
        guard let assertion = order.assertion else { throw .field(.missing("assertion")) }
        guard order.scope == nil else {
            throw .field(FieldDefect("scope", "must not be there: it stands in the assertion"))
        }
        let (keys, audiences, now) = (keys, tokenAudiences, systemNow())
        let (grant, tenant) = try await signer(of: assertion, order, request) { (known) throws(ProofFault) in
            let grant = try keys.verifyGrant(assertion, by: known, for: audiences, at: now)
            return (grant, grant.client)
        }
        let scopes = try Self.scopes(of: grant.scope)
        guard let subject = Subject(grant.subject) else {
            throw .invalidGrant("sub must be tel: and an E.164 number, or operatortoken: and a token")
        }
        switch subject {
        // No network has confirmed that the person has this number, so the token does not allow number verification.
        case .number(let number):
            guard scopes.contains(where: { CamaraScope(word: $0)?.isAboutNamedNumber == true }) else {
                return try issue(to: tenant, scopes, about: nil)
            }
            guard let session = try await numbers.name(number, for: tenant) else {
                throw .invalidGrant("sub is a number that is not served for this client")
            }
            request.note(session)
            return try issue(to: tenant, scopes, about: session)
        case .phone(let token):
            guard let session = try await numbers.prove(token, for: tenant) else {
                throw .invalidGrant("no operator tells whose phone the operator token is of")
            }
            request.note(session)
            return try issue(to: tenant, scopes, about: session)
        }
    }

    private enum Subject {
        case number(String)
        case phone(OperatorToken)

        init?(_ text: String) {
            let phone = "operatortoken:"
            if text.utf8.starts(with: phone.utf8) {
                guard let token = OperatorToken(String(Substring(text.utf8.dropFirst(phone.utf8.count)))) else {
                    return nil
                }
                self = .phone(token)
                return
            }
            let digits = text.utf8.dropFirst("tel:+".utf8.count)
            guard text.utf8.starts(with: "tel:+".utf8), (5...15).contains(digits.count),
                digits.allSatisfy({ (48...57).contains($0) })
            else { return nil }
            self = .number("+" + String(Substring(digits)))
        }
    }

    private func issue(
        to tenant: Tenant, _ scopes: [String], about session: CorrelationID?
    ) throws(TokenRefusal) -> Issued {
        // A token must not live longer than its session can be read.
        let lifetime = session == nil ? Self.lifetime : min(Self.lifetime, engine.limits.resultLifetime)
        do {
            let token = try engine.crypto.tokens.issueScopedToken(
                ScopedGrant(clientID: tenant.id, audience: audience, scopes: scopes, session: session),
                lifetime: lifetime, jti: try engine.crypto.randomBytes(16), at: engine.now())
            return Issued(
                token: token, scope: scopes.joined(separator: " "), seconds: Int(lifetime.components.seconds))
        } catch {
            throw .internalFault("an access token could not be made")
        }
    }

    /// The API client that signed an assertion. The assertion cannot be used again.
    /// - Parameter verify: reads the assertion if one of these keys has signed it, else throws.
    private func signer<Said>(
        of assertion: String, _ order: Order, _ request: Request,
        _ verify: ([PublicKey]) throws(ProofFault) -> (said: Said, client: ClientAssertion)
    ) async throws(TokenRefusal) -> (said: Said, tenant: Tenant) {
        guard let name = keys.claimedClient(of: assertion), order.clientID?.isSame(as: name) ?? true else {
            throw .unauthorized
        }
        var result: Result<(said: Said, client: ClientAssertion), ProofFault>?
        let tenant: Tenant
        do throws(ClientLogin.Refusal) {
            tenant = try await logins.caller(named: name, request) { known in
                let found = Self.result(known, verify)
                result = found
                return (try? found.get()) != nil
            }
        } catch {
            // An unknown client has no keys, and must not learn more than a known one. So check its assertion against
            // no keys.
            if TokenRefusal(error) == .unauthorized, case .failure(let fault) = result ?? Self.result([], verify) {
                throw .assertion(fault)
            }
            throw TokenRefusal(error)
        }
        guard case .success(let verified) = result else { throw .unauthorized }
        try await noteUse(of: verified.client)
        return (verified.said, tenant)
    }

    /// Notes the use of an assertion, so that no server accepts it again.
    private func noteUse(of assertion: ClientAssertion) async throws(TokenRefusal) {
        let now = systemNow()
        switch used.take(assertion, at: now) {
        case .new: break
        case .again: throw .assertion(.used)
        case .full(let seconds):
            engine.reports.recordLimit(.tenantRate, nil)
            throw .rateLimited(LimitHit(.tenantRate, retryAfterSeconds: seconds))
        }
        let isFirst: Bool
        do throws(EngineFault) {
            isFirst = try await uses.isFirst(UsedAssertions.name(of: assertion, digest: sha256), at: now)
        } catch {
            used.giveBack(assertion)
            throw TokenRefusal(error)
        }
        guard isFirst else { throw .assertion(.used) }
    }

    private static func result<Said>(
        _ keys: [PublicKey], _ verify: ([PublicKey]) throws(ProofFault) -> Said
    ) -> Result<Said, ProofFault> {
        do throws(ProofFault) { return .success(try verify(keys)) } catch { return .failure(error) }
    }

    /// - Throws: `.invalidScope`.
    private static func scopes(of text: String) throws(TokenRefusal) -> [String] {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        guard words.count(where: { $0.utf8.starts(with: purpose.utf8) }) == 1 else {
            throw .invalidScope("must name one purpose, such as dpv:FraudPreventionAndDetection")
        }
        let others = words.filter { !$0.utf8.starts(with: purpose.utf8) && !$0.isSame(as: "openid") }
        guard !others.isEmpty,
            others.allSatisfy({ CamaraScope(word: $0) != nil })
        else { throw .invalidScope("must name scopes of \(CamaraPath.discovery)") }
        return words
    }
}
