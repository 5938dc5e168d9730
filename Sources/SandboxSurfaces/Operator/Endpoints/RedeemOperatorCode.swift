internal import Sandbox
internal import HTTPServer
internal import Possession
internal import StrictJSON
internal import Text
internal import SurfaceKit

/// `POST /sandbox/operator/token`: a code becomes an access token (RFC 6749 section 4.1.3, RFC 7636, RFC 7523).
///
///     grant_type=authorization_code&code=...&redirect_uri=...&code_verifier=...&client_id=...
///      &client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=...
///     ->  200 {"access_token":"...","token_type":"Bearer","expires_in":300,"scope":"..."}
///
/// There is no ID token: nobody here reads one.
struct RedeemOperatorCode: Sendable {
    let settings: SimulatedOperator.Settings
    let grants: OperatorGrants
    let assertions: any ClientAssertionVerifier
    let now: Now
    let sha256: @Sendable ([UInt8]) -> [UInt8]

    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    func respond(to request: Request) -> Response {
        do throws(OAuthError) { return try token(request) } catch { return error.response }
    }

    private func token(_ request: Request) throws(OAuthError) -> Response {
        let form = try form(of: request)
        try authenticate(form)
        guard let grantType = form["grant_type"] else { throw .invalidRequest("grant_type is missing") }
        guard grantType.isSame(as: "authorization_code") else { throw .unsupportedGrantType }
        guard let name = form["code"] else { throw .invalidRequest("code is missing") }
        guard let redirectURI = form["redirect_uri"] else { throw .invalidRequest("redirect_uri is missing") }
        guard let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count) else {
            throw .invalidRequest("code_verifier is missing, or not 43 to 128 characters long")
        }
        // Whoever presents a code uses it up, whatever comes of it.
        guard let code = grants.take(code: name), code.redirectURI.isSame(as: redirectURI),
            base64URL(sha256(Array(verifier.utf8))).isSame(as: code.challenge)
        else { throw .invalidGrant }
        guard code.connection.outcome != .operatorError,
            let token = grants.issue(OperatorGrants.Token(connection: code.connection, scope: code.scope))
        else { throw .serverError }
        var object = JSONObject()
        object.set("access_token", token)
        object.set("token_type", "Bearer")
        object.set("expires_in", OperatorGrants.tokenLifetime.components.seconds)
        object.set("scope", code.scope.rawValue)
        return .json(200, object)
    }

    private func form(of request: Request) throws(OAuthError) -> FormBody {
        do throws(BodyDefect) { try RequestBody.check(request, mediaType: RequestBody.form) } catch {
            throw .invalidRequest(error.message)
        }
        do throws(FormBody.Defect) { return try FormBody(request.body, known: []) } catch {
            throw .invalidRequest("the body is not form-encoded, or a parameter is there twice")
        }
    }

    /// `private_key_jwt` (OpenID Connect Core section 9).
    private func authenticate(_ form: FormBody) throws(OAuthError) {
        guard form.says("client_id", settings.clientID), form.says("client_assertion_type", Self.assertionType),
            let text = form["client_assertion"],
            let assertion = assertions.verifyClientAssertion(
                text, audience: settings.publicURL + SimulatedOperator.tokenPath, at: now()),
            assertion.clientID.isSame(as: settings.clientID), grants.isNew(assertion)
        else { throw .invalidClient }
    }
}
