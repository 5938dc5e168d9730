internal import HTTPServer
internal import Engine
internal import Possession
internal import SurfaceKit
internal import Text

/// Admits calls of apps: within the limit of their address and the rate of their API client, and only if that client
/// has its own order of channels. An app's id is not secret.
struct HeadlessGate: Sendable {
    let engine: Engine
    let callers: CallerGate?
    let addresses: ClientAddress
    let crossOrigin: CrossOrigin

    static let refusals: [OtplessError] = [
        .appUnknown, .originNotAllowed, .rateLimited(.init(.callsPerAddress, retryAfterSeconds: 1)), .overloaded,
        .internalFault(""),
    ]

    /// The API client of an app.
    /// - Throws: `.appUnknown`: the client is unknown, revoked, or has no order of channels. Also `.rateLimited`,
    ///   `.originNotAllowed`, `.internalFault`.
    func tenant(_ id: String?, of request: Request) async throws(OtplessError) -> Tenant {
        do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
        guard let id = id.flatMap({ ClientID($0) }) else { throw .appUnknown }
        let found: Tenant?
        do { found = try await engine.activeTenant(id) } catch { throw OtplessError(error) }
        guard let found, !found.rules.smartChannels.isEmpty else { throw .appUnknown }
        request.notes?.note(caller: id.text)
        do throws(LimitHit) { try callers?.takeOne(of: id, request) } catch { throw .rateLimited(error) }
        let origins = request.headers.values("origin")
        guard origins.count <= 1, origins.allSatisfy({ crossOrigin.mayCall($0, found.rules) }) else {
            throw .originNotAllowed
        }
        return found
    }

    /// The app of a state. If the call also names an id, it must be that of the same client.
    /// - Throws: `.stateInvalid`, `.appUnknown`: the ids differ; and as `tenant`.
    func app(_ state: String, id: String?, of request: Request) async throws(OtplessError) -> StartedApp {
        guard let read = AppState(state, engine.crypto.keyed) else {
            // Guessed states count against the limit of the address.
            do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
            throw .stateInvalid
        }
        guard id.map({ $0.isSame(as: read.client.text) }) ?? true else { throw .appUnknown }
        return StartedApp(
            tenant: try await tenant(read.client.text, of: request), state: read, address: addresses.of(request),
            languages: request.languages)
    }
}
