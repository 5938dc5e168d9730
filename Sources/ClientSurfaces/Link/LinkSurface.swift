package import HTTPServer
package import Engine
package import Possession
package import Text
package import SurfaceKit

/// Pages for the holder of an instant link on the phone: for people, not for programs (client protocol 4.9).
package struct LinkSurface: Sendable {
    /// Looks up a link; changes nothing.
    package typealias Look =
        @Sendable (_ token: String, _ note: NoteSession?) async throws(EngineFault) -> LinkView
    /// Records the decision of the link's holder.
    package typealias Decide =
        @Sendable (_ token: String, _ decision: LinkDecision, _ address: IPAddress?, _ note: NoteSession?)
        async throws(EngineFault) -> LinkView
    /// Refuses a call over the limit, before anything else is done.
    package typealias Admit = @Sendable (_ request: Request) async throws(LimitHit) -> Void

    private let look: Look
    private let decide: Decide
    private let addresses: ClientAddress
    private let pages: LinkPages
    private let admit: Admit

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<LinkSurface>] = [
        SurfaceCall { ShowLink(look: $0.look, pages: $0.pages) },
        SurfaceCall { DecideLink(decide: $0.decide, addresses: $0.addresses, pages: $0.pages) },
    ]

    /// - Parameters:
    ///   - products: those whose links this surface serves.
    ///   - people: the test people among whom the holder of a link may choose, if the link names no person; empty
    ///     except in a sandbox.
    ///   - callers: the limits and rates that these calls share with other surfaces.
    ///   - trustedProxies: IP addresses whose `X-Forwarded-For` is trusted (HTTP-37).
    ///   - sha256: computes the digests by which the pages' policy allows their style and script.
    package init(
        engine: Engine, products: [ProductName], people: @escaping @Sendable () -> [SandboxPerson] = { [] },
        trustedProxies: AddressRanges, callers: CallerGate? = nil,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        let fence = SessionFence(products: products)
        let service = LinkService(engine, in: fence, people: people)
        self.init(
            look: { token, note throws(EngineFault) in try await service.view(token, note: note) },
            decide: { token, decision, address, note throws(EngineFault) in
                try await service.decide(token, decision, address: address, note: note)
            },
            report: { engine.reports.log($0) },
            admit: { (request) throws(LimitHit) in
                try callers?.admit(request)
                try await callers?.admit(
                    request.parameters[LinkRequest.token].map { .link(engine.crypto.keyed.link($0)) }, in: fence,
                    request)
            }, trustedProxies: trustedProxies, sha256: sha256)
    }

    package init(
        look: @escaping Look, decide: @escaping Decide, report: @escaping @Sendable (String) -> Void,
        admit: @escaping Admit = { (_) throws(LimitHit) in }, trustedProxies: AddressRanges,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        self.look = look
        self.decide = decide
        addresses = ClientAddress(trustedProxies: trustedProxies)
        pages = LinkPages(policy: PagePolicy(sha256: sha256), report: report)
        self.admit = admit
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(calls.flatMap(\.operations))

    fileprivate func routes<E: LinkEndpoint>(_ endpoint: E) -> [Route] {
        SurfaceRoute<E>(
            report: pages.report, render: { [pages] error, request in pages.response(to: error, of: request) }
        )
        .routes { [admit] request, form throws(LinkError) in
            do throws(LimitHit) { try await admit(request) } catch { throw .rateLimited(error) }
            return try await endpoint.answer(request, from: Nothing(), form)
        }
    }
}

extension SurfaceCall<LinkSurface> {
    fileprivate init<E: LinkEndpoint>(_ make: @escaping @Sendable (LinkSurface) -> E) {
        self.init(E.operations) { $0.routes(make($0)) }
    }
}

extension SurfaceName {
    static let link = SurfaceName("Instant links", about: "Pages for the person who holds an instant link.")
}
