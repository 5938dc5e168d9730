internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Lets a backend in by its API key: `Authorization: Bearer <client_id>:<client_secret>`.
struct PreludeGate: Sendable {
    let logins: ClientLogin

    /// The two halves of an API key.
    struct Key {
        let name: String
        let secret: String
    }

    /// The tenant that calls.
    /// - Throws: `.missingKey`, `.wrongKey`, `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    func admit(_ request: Request) async throws(PreludeError) -> Tenant {
        let key = try Self.key(of: request)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(named: key.name, secret: key.secret, request)
        } catch { throw PreludeError(error) }
    }

    /// What the head alone tells.
    static func key(of request: Request) throws(PreludeError) -> Key {
        switch request.headers.count("authorization") {
        case 0: throw .missingKey
        case 1: break
        default: throw .wrongKey
        }
        guard let value = request.headers.bytes("authorization"), let text = Credentials(value).token(of: "bearer"),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { throw .wrongKey }
        return Key(
            name: String(Substring(text.utf8[..<colon])),
            secret: String(Substring(text.utf8[text.utf8.index(after: colon)...])))
    }
}
