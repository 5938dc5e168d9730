package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit

/// Serves servers that make and check codes themselves and let another server send them: Supabase Auth, Zitadel, Ory
/// Kratos, Logto, Authgear and others.
///
/// Each code passes the same limits, guards and gateways as this server's own codes.
package struct HookSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<HookSurface>] = [
        SurfaceCall { SendForSupabase(relay: $0.relay, gate: $0.gate) },
        SurfaceCall { SendForZitadel(relay: $0.relay, gate: $0.gate) },
        SurfaceCall { SendForKratos(relay: $0.relay, gate: $0.gate) },
        SurfaceCall { SendForLogto(relay: $0.relay, gate: $0.gate) },
        SurfaceCall { SendForAuthgear(relay: $0.relay, gate: $0.gate) },
    ]

    private let gate: HookGate
    private let relay: CodeRelay

    /// - Parameters:
    ///   - logins: shared with the other surfaces for backends, so that failures and rates of an API client are counted
    ///     once.
    ///   - mac: HMAC-SHA-256 of a message under a key.
    ///   - systemNow: the machine's clock.
    package init(
        engine: Engine, logins: ClientLogin, mac: @escaping @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8],
        systemNow: @escaping Now
    ) {
        gate = HookGate(
            logins: logins, signatures: HookSignatures(mac: mac, systemNow: systemNow),
            bytes: engine.crypto.keyed.bytes,
            report: engine.reports.log)
        relay = CodeRelay(engine)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// Answers for paths below the prefix that no call has.
    package var area: Area { Area(HookPath.base) { HookError.absent($1).response } }

    /// The surface as a separate API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [(ErrorShape.hook.name, HookError.schema), ErrorShape.hook.orFailure])

    package static let documentPath = HookPath.base + "/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for SMS hooks", summary: "Sends codes that other servers make and check.",
        detail: """
            What Supabase Auth, Zitadel, Ory Kratos, Logto and Authgear call as they are. A code that went to a number in its session of 10 \
            minutes is not sent again: the call before has been repeated. Members that are not described are not \
            looked at.
            """)
}

extension SurfaceCall<HookSurface> {
    fileprivate init<E: HookEndpoint>(_ make: @escaping @Sendable (HookSurface) -> E) {
        self.init(E.operations) { make($0).routes }
    }
}
