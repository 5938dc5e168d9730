internal import HTTPServer
internal import Possession
internal import SurfaceKit
internal import Text

/// Lets apps in: by the limit of their address, by the rate of their API client, and only where that client has an order of
/// channels of its own. An app's id is no secret.
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
    /// - Throws: `.appUnknown` where it is unknown, revoked, or has no order of channels.
    func tenant(_ id: String?, of request: Request) async throws(OtplessError) -> Tenant {
        do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
        guard let id = id.flatMap({ ClientID($0) }) else { throw .appUnknown }
        let found: Tenant?
        do throws(StorageFault) { found = try await engine.tenants.tenant(id) } catch {
            throw OtplessError(EngineFault(error))
        }
        guard let found, found.revokedAt == nil, !found.rules.smartChannels.isEmpty else { throw .appUnknown }
        request.notes?.note(caller: id.text)
        do throws(LimitHit) { try callers?.takeOne(of: id, request) } catch { throw .rateLimited(error) }
        let origins = request.headers.values("origin")
        guard origins.count <= 1, origins.allSatisfy({ crossOrigin.mayCall($0, found.rules) }) else {
            throw .originNotAllowed
        }
        return found
    }

    /// The app of a state. An id that it names beside it has to be the same client's.
    /// - Throws: `.stateInvalid`, and as `tenant`.
    func app(_ state: String, id: String?, of request: Request) async throws(OtplessError) -> StartedApp {
        guard let read = AppState(state, engine.keyed) else {
            // Guesses are counted by their address.
            do throws(LimitHit) { try callers?.admit(request) } catch { throw .rateLimited(error) }
            throw .stateInvalid
        }
        guard id.map({ $0.isSame(as: read.client.text) }) ?? true else { throw .appUnknown }
        return StartedApp(
            tenant: try await tenant(read.client.text, of: request), state: read, address: addresses.of(request),
            languages: request.languages)
    }
}
