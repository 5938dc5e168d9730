internal import HTTPServer
internal import Possession
internal import SurfaceKit

/// Admits a backend by its API key: `Authorization: Bearer hf_live_...`.
struct PreludeGate: Sendable {
    let logins: ClientLogin
    let report: @Sendable (String) -> Void

    var backends: BackendGate<Tenant, PreludeError> {
        BackendGate(
            checkHead: { request throws(PreludeError) in _ = try Self.key(of: request) },
            admit: { request throws(PreludeError) in try await admit(request) },
            render: { $0.response(requestID: $1.id) }, report: report)
    }

    /// The tenant of the API key.
    /// - Throws: `.missingKey`, `.wrongKey`, `.certificateMissing`, `.rateLimited`, `.overloaded`, `.internalFault`.
    private func admit(_ request: Request) async throws(PreludeError) -> Tenant {
        let key = try Self.key(of: request)
        do throws(ClientLogin.Refusal) {
            return try await logins.caller(byKey: key, request)
        } catch { throw PreludeError(error) }
    }

    /// Reads the API key from the head.
    private static func key(of request: Request) throws(PreludeError) -> String {
        switch request.headers.count("authorization") {
        case 0: throw .missingKey
        case 1: break
        default: throw .wrongKey
        }
        guard let value = request.headers.bytes("authorization"), let text = Credentials(value).token(of: "bearer")
        else { throw .wrongKey }
        return text
    }
}
