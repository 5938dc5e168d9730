internal import HTTPServer
internal import Possession

/// Holds up callers that show no API client's credentials (ABU-01): by their address before any work, and by the rate of
/// the API client that they call for, once their session tells which it is.
///
/// A class, so that a call copies a reference and not the engine.
final class CallerGate: Sendable {
    /// `nil`: no limit by address.
    let calls: CallsPerAddress?
    let addresses: ClientAddress
    /// Whose rates count these calls as well.
    let platform: PlatformGate

    init(calls: CallsPerAddress?, addresses: ClientAddress, platform: PlatformGate) {
        self.calls = calls
        self.addresses = addresses
        self.platform = platform
    }

    /// Takes one call of the caller's address.
    func admit(_ request: Request) throws(LimitHit) {
        guard let calls, let seconds = calls.take(addresses.of(request), at: platform.systemNow()) else { return }
        platform.engine.noteLimit(.callsPerAddress, nil)
        throw LimitHit(.callsPerAddress, retryAfterSeconds: seconds)
    }

    /// Takes one call from the rate of the session's API client. A session that is unknown or cannot be read has none:
    /// the call itself says so.
    func admit(_ session: @autoclosure () -> SessionKey?) async throws(LimitHit) {
        guard platform.rates != nil, let key = session() else { return }
        guard let found = try? await platform.engine.sessions.session(key) else { return }
        try platform.takeOne(of: found.clientID)
    }
}
