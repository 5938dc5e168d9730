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

    /// By `Authorization`: client id and hook secret.
    /// - Throws: `.unauthorized`, `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func caller(bySecretOf request: Request) async throws(HookError) -> Tenant {
        let shown = try Self.credentials(of: request)
        let decoded = bytes(shown.secret)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: shown.name, request) {
                HookSecret($0).isShown(by: shown.secret, decoded: decoded)
            }
        } catch { throw HookError(error) }
    }

    /// Reads `Basic`, or `Bearer` with one word: client id, a full stop, hook secret, which has none.
    static func credentials(of request: Request) throws(HookError) -> (name: String, secret: String) {
        if let basic = BasicCredentials(plainOf: request) { return (basic.name, basic.password) }
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let word = Credentials(value).token(of: "bearer"), let stop = word.utf8.lastIndex(of: UInt8(ascii: "."))
        else { throw .unauthorized }
        return (String(Substring(word.utf8[..<stop])), String(Substring(word.utf8[stop...].dropFirst())))
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
