internal import HTTPServer
internal import Possession
internal import Text
internal import SurfaceKit

/// `GET /sandbox/operator/authorize`: identifies a device's connection (OpenID Connect Core section 3.1.2, without
/// interaction).
///
///     ?response_type=code&client_id=...&redirect_uri=...&scope=openid%20dpv:...&state=...&prompt=none
///      &code_challenge=...&code_challenge_method=S256&login_hint=tel:%2B12001004016
///     ->  302, Location: <redirect_uri>?code=...&state=...
///
/// A plain route: errors are returned by redirect, once the redirect URI is known to be valid.
struct AuthorizeConnection: Sendable {
    struct Order: Sendable {
        var responseType: String?
        var clientID: String?
        var redirectURI: String?
        var scope: String?
        var state: String?
        var prompt: String?
        var challenge: String?
        var challengeMethod: String?
        var hint: String?
    }

    let settings: SimulatedOperator.Settings
    let network: SimulatedNetwork
    let grants: OperatorGrants

    private static let call = Call(
        .get, SimulatedOperator.authorizePath, id: "authorizeConnection", "Recognise the connection",
        "OpenID Connect without interaction: prompt=none, PKCE by S256, login_hint=tel:+...")

    /// The shape of the query, which is form-encoded (RFC 6749 section 4.1.1).
    private static let query = Shape(Order()) {
        Member.optional("response_type", anyText, "code.") { $0.responseType = $1 }
        Member.optional("client_id", anyText, "The client of this server's configuration.") { $0.clientID = $1 }
        Member.optional("redirect_uri", anyText, "The one that is registered.") { $0.redirectURI = $1 }
        Member.optional("scope", anyText, "openid, one purpose and one scope of the API.") { $0.scope = $1 }
        Member.optional("state", anyText, "Comes back with the code; at most 512 bytes.") { $0.state = $1 }
        Member.optional("prompt", anyText, "none: the person is never asked.") { $0.prompt = $1 }
        Member.optional("code_challenge", anyText, "43 characters: SHA-256 of code_verifier, in base64url.") {
            $0.challenge = $1
        }
        Member.optional("code_challenge_method", anyText, "S256.") { $0.challengeMethod = $1 }
        Member.optional("login_hint", anyText, "tel: and an E.164 number. Without it, the default number.") {
            $0.hint = $1
        }
    }
    /// The length of the request target is the only limit.
    private static let anyText = Input.text(TextRule(maxCharacters: .max, alphabet: .any))

    /// The API description of the endpoint.
    static var operations: [Operation] {
        [
            call.operation(
                .simulatedOperator, parameters: query.fields.map { .query($0) },
                answers: [Answer(status: 302, about: "To redirect_uri, with code or error.", headers: ["Location"])],
                errors: [OAuthError.invalidRequest("client_id is not known").response], shape: .oauth)
        ]
    }

    var route: Route { Route(Self.call.method, Self.call.path) { respond(to: $0) } }

    /// Bytes.
    private static let maxStateBytes = 512
    private static let telephone = "tel:"

    private func respond(to request: Request) -> Response {
        do throws(OAuthError) {
            let order = try order(of: request)
            let state = order.state.flatMap { $0.utf8.count <= Self.maxStateBytes ? $0 : nil }
            do throws(OAuthError) {
                guard state != nil else { throw .invalidRequest("state is missing or too long") }
                return redirect([(name: "code", value: try code(order))], state)
            } catch {
                return redirect(error.fields, state)
            }
        } catch {
            return error.response
        }
    }

    /// The parameters. An error in the client or the redirect URI must not redirect the caller (RFC 6749 section
    /// 4.1.2.1).
    private func order(of request: Request) throws(OAuthError) -> Order {
        let fields: FieldReader
        do throws(BodyDefect) {
            fields = FieldReader(try FormBody.object(Array(request.rawQuery.utf8), known: []))
        } catch {
            throw .invalidRequest("the query is not form-encoded, or a parameter is there twice")
        }
        let order: Order
        do throws(FieldDefect) { order = try Self.query.read(fields) } catch { throw OAuthError(error) }
        guard order.clientID?.isSame(as: settings.clientID) == true else {
            throw .invalidRequest("client_id is not known")
        }
        guard order.redirectURI?.isSame(as: settings.redirectURI) == true else {
            throw .invalidRequest("redirect_uri is not registered")
        }
        return order
    }

    private func code(_ order: Order) throws(OAuthError) -> String {
        guard let type = order.responseType else { throw .invalidRequest("response_type is missing") }
        guard type.isSame(as: "code") else { throw .unsupportedResponseType }
        guard let scope = order.scope.flatMap({ OperatorScope($0) }) else { throw .invalidScope }
        // There is never a question to the person.
        guard order.prompt?.isSame(as: "none") == true else { throw .invalidRequest("prompt must be none") }
        guard order.challengeMethod?.isSame(as: "S256") == true, let challenge = order.challenge,
            challenge.utf8.count == 43, challenge.utf8.allSatisfy(\.isUnreserved)
        else { throw .invalidRequest("code_challenge must be there, by S256") }
        let code = OperatorGrants.Code(
            connection: network.connection(of: try order.hint.map(Self.number(of:))), scope: scope,
            redirectURI: settings.redirectURI, challenge: challenge)
        guard let name = grants.issue(code) else { throw .serverError }
        return name
    }

    static func number(of hint: String) throws(OAuthError) -> PhoneNumber {
        guard hint.begins(with: telephone),
            let number = PhoneNumber(e164: String(Substring(hint.utf8.dropFirst(telephone.utf8.count))))
        else { throw .invalidRequest("login_hint must be tel: and an E.164 number") }
        return number
    }

    private func redirect(_ fields: [(name: String, value: String)], _ state: String?) -> Response {
        let all = fields + (state.map { [(name: "state", value: $0)] } ?? [])
        let query = all.map { "\($0.name)=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
        let separator = settings.redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return Response(status: 302, headers: [("Location", settings.redirectURI + separator + query)])
    }
}
