internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Lets a server in by the hook secret of an API client: it shows the secret, or has signed with it.
struct HookGate: Sendable {
    let logins: ClientLogin
    let signatures: HookSignatures
    /// As random bytes stand in URLs, and back.
    let bytes: @Sendable (String) -> [UInt8]?
    let report: @Sendable (String) -> Void

    /// The parameter of paths that name the API client.
    static let client = "client_id"

    /// By `Authorization: Basic`: client id and hook secret.
    /// - Throws: `.unauthorized`, `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func caller(bySecretOf request: Request) async throws(HookError) -> Tenant {
        let basic = try Self.credentials(of: request)
        let decoded = bytes(basic.password)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: basic.name, request) {
                HookSecret($0).isShown(by: basic.password, decoded: decoded)
            }
        } catch { throw HookError(error) }
    }

    static func credentials(of request: Request) throws(HookError) -> BasicCredentials {
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let word = Credentials(value).token(of: "basic"), let basic = BasicCredentials(plain: word)
        else { throw .unauthorized }
        return basic
    }

    /// By a signature over the body; the path names the client.
    /// - Throws: as `caller(bySecretOf:)`.
    func caller(bySignatureOf request: Request) async throws(HookError) -> Tenant {
        let signed = try signatures.signed(request)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: request.parameters[Self.client] ?? "", request) {
                signatures.holds(signed, by: HookSecret($0))
            }
        } catch { throw HookError(error) }
    }
}
