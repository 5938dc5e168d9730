package import HTTPServer
package import Engine
package import Possession
internal import Text

/// Limits calls without an API client's credentials (ABU-01): by their address before any work, and by the rate of the
/// API client that they call for, once their session identifies it.
///
/// A class, so that a call copies a reference and not the engine.
package final class CallerGate: Sendable {
    /// `nil`: no limit by address.
    package let calls: CallsPerAddress?
    package let addresses: ClientAddress
    /// Count these calls too.
    package let rates: TenantRates?
    package let engine: Engine
    package let systemNow: Now

    /// - Parameters:
    ///   - calls: `nil`: no limit by address.
    ///   - rates: of the API clients; `nil`: no rates.
    ///   - systemNow: the machine's clock.
    package init(
        calls: CallsPerAddress?, addresses: ClientAddress, rates: TenantRates?, engine: Engine,
        systemNow: @escaping Now
    ) {
        self.calls = calls
        self.addresses = addresses
        self.rates = rates
        self.engine = engine
        self.systemNow = systemNow
    }

    /// Counts one call of the caller's address.
    package func admit(_ request: Request) throws(LimitHit) {
        guard let calls, let seconds = calls.take(addresses.of(request), at: systemNow()) else { return }
        engine.reports.recordLimit(.callsPerAddress, nil)
        throw LimitHit(.callsPerAddress, retryAfterSeconds: seconds)
    }

    /// Counts one call against the rate of the session's API client. Nothing is counted for an unknown or unreadable
    /// session: the call itself reports it.
    package func admit(
        _ session: @autoclosure () -> SessionKey?, in fence: SessionFence, _ request: Request
    ) async throws(LimitHit) {
        guard let found = await find(session(), in: fence) else { return }
        try takeOne(of: found.clientID, request, isUnderWay: true)
    }

    /// Counts one call against the rate of an API client, as a stranger's call that may name a session of the client.
    package func takeOne(
        of tenant: ClientID, naming session: @autoclosure () -> SessionKey?, in fence: SessionFence, _ request: Request
    ) async throws(LimitHit) {
        try takeOne(of: tenant, request, isUnderWay: await find(session(), in: fence) != nil)
    }

    /// The session, if a rate could refuse its call.
    private func find(_ session: @autoclosure () -> SessionKey?, in fence: SessionFence) async -> Session? {
        guard rates?.mayRefuse(engine) ?? false, let key = session() else { return nil }
        return try? await engine.session(key, in: fence)
    }

    /// Counts one call against the rate of an API client, as a stranger's call.
    /// - Parameter isUnderWay: the call belongs to an existing session.
    package func takeOne(of tenant: ClientID, _ request: Request, isUnderWay: Bool = false) throws(LimitHit) {
        guard let rates else { return }
        let caller = RateCaller.stranger(network: addresses.of(request)?.network, isUnderWay: isUnderWay)
        try rates.takeOne(of: tenant, by: caller, engine, at: systemNow())
    }
}
