internal import HTTPServer
internal import Possession
internal import Text
internal import SurfaceKit

/// `GET /sandbox/operator/authorize`: where a device's connection is recognised (OpenID Connect Core section 3.1.2,
/// without interaction).
///
///     ?response_type=code&client_id=...&redirect_uri=...&scope=openid%20dpv:...&state=...&prompt=none
///      &code_challenge=...&code_challenge_method=S256&login_hint=tel:%2B12001004016
///     ->  302, Location: <redirect_uri>?code=...&state=...
struct AuthorizeConnection: Sendable {
    let settings: SimulatedOperator.Settings
    let network: SimulatedNetwork
    let grants: OperatorGrants

    /// In bytes.
    private static let maxStateBytes = 512
    private static let telephone = "tel:"

    func respond(to request: Request) -> Response {
        let fields: FormBody
        do throws(FormBody.Defect) { fields = try FormBody(Array(request.rawQuery.utf8), known: []) } catch {
            return OAuthError.invalidRequest("the query is not form-encoded, or a parameter is there twice").response
        }
        // Nobody is sent on until it is known where to (RFC 6749 section 4.1.2.1).
        guard fields.says("client_id", settings.clientID) else {
            return OAuthError.invalidRequest("client_id is not known").response
        }
        guard fields.says("redirect_uri", settings.redirectURI) else {
            return OAuthError.invalidRequest("redirect_uri is not registered").response
        }
        let state = fields["state"].flatMap { $0.utf8.count <= Self.maxStateBytes ? $0 : nil }
        do throws(OAuthError) {
            guard state != nil else { throw .invalidRequest("state is missing or too long") }
            return redirect([(name: "code", value: try code(fields))], state)
        } catch {
            return redirect(error.fields, state)
        }
    }

    private func code(_ fields: FormBody) throws(OAuthError) -> String {
        guard let type = fields["response_type"] else { throw .invalidRequest("response_type is missing") }
        guard type.isSame(as: "code") else { throw .unsupportedResponseType }
        guard let scope = fields["scope"].flatMap({ OperatorScope($0) }) else { throw .invalidScope }
        // Nothing is ever asked of the person.
        guard fields.says("prompt", "none") else { throw .invalidRequest("prompt must be none") }
        guard fields.says("code_challenge_method", "S256"), let challenge = fields["code_challenge"],
            challenge.utf8.count == 43, challenge.utf8.allSatisfy(Self.isUnreserved)
        else { throw .invalidRequest("code_challenge must be there, by S256") }
        var named: PhoneNumber?
        if let hint = fields["login_hint"] {
            guard hint.begins(with: Self.telephone),
                let number = PhoneNumber(e164: String(Substring(hint.utf8.dropFirst(Self.telephone.utf8.count))))
            else { throw .invalidRequest("login_hint must be tel: and an E.164 number") }
            named = number
        }
        let code = OperatorGrants.Code(
            connection: network.connection(of: named), scope: scope, redirectURI: settings.redirectURI,
            challenge: challenge)
        guard let name = grants.issue(code) else { throw .serverError }
        return name
    }

    private func redirect(_ fields: [(name: String, value: String)], _ state: String?) -> Response {
        let all = fields + (state.map { [(name: "state", value: $0)] } ?? [])
        let query = all.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        let separator = settings.redirectURI.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return Response(status: 302, headers: [("Location", settings.redirectURI + separator + query)])
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        TextRule.isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            isUnreserved(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
