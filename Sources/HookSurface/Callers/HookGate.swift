internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Admits a server by the hook secret of an API client: the server sends the secret, or signs with it.
struct HookGate: Sendable {
    let logins: ClientLogin
    let signatures: HookSignatures
    /// Decodes random bytes from their URL-safe text.
    let bytes: @Sendable (String) -> [UInt8]?
    let report: @Sendable (String) -> Void

    /// The parameter of paths that name the API client.
    static let client = "client_id"

    /// Reads `Authorization`, which has the client id and the hook secret.
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

    /// Reads `Basic`, or `Bearer` with one word: the client id, a full stop, and the hook secret, which contains no
    /// full stop.
    static func credentials(of request: Request) throws(HookError) -> (name: String, secret: String) {
        if let basic = BasicCredentials(plainOf: request) { return (basic.name, basic.password) }
        guard request.headers.count("authorization") == 1, let value = request.headers.bytes("authorization"),
            let word = Credentials(value).token(of: "bearer"), let stop = word.utf8.lastIndex(of: UInt8(ascii: "."))
        else { throw .unauthorized }
        return (String(Substring(word.utf8[..<stop])), String(Substring(word.utf8[stop...].dropFirst())))
    }

    /// Checks a signature over the body. The path names the client.
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
