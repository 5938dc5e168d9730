package import HTTPServer
package import Possession
package import Text
package import SurfaceKit

/// What the holder of an instant link sees on the phone: pages for people, not answers for programs (client protocol
/// 4.9).
package struct LinkSurface: Sendable {
    /// What a link stands for; changes nothing.
    package typealias Look =
        @Sendable (_ token: String, _ note: NoteSession?) async throws(EngineFault) -> LinkView
    /// Takes the answer of whoever holds the link.
    package typealias Decide =
        @Sendable (_ token: String, _ decision: LinkDecision, _ address: IPAddress?, _ note: NoteSession?)
        async throws(EngineFault) -> LinkView
    /// Says no to a call that is one too many, before anything else is done.
    package typealias Admit = @Sendable (_ request: Request) async throws(LimitHit) -> Void

    private let showLink: ShowLink
    private let decideLink: DecideLink
    private let answers: LinkPages
    private let report: @Sendable (String) -> Void
    private let admit: Admit

    /// - Parameters:
    ///   - callers: the limits and rates that these calls share with other surfaces.
    ///   - trustedProxies: IP addresses whose `X-Forwarded-For` is believed (HTTP-37).
    ///   - sha256: the digest by which the pages' policy names their style.
    package init(
        engine: Engine, trustedProxies: AddressRanges, callers: CallerGate? = nil,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        let service = LinkService(engine)
        self.init(
            look: { token, note throws(EngineFault) in try await service.look(token, note: note) },
            decide: { token, decision, address, note throws(EngineFault) in
                try await service.decide(token, decision, address: address, note: note)
            },
            report: { engine.report($0) },
            admit: { (request) throws(LimitHit) in
                try callers?.admit(request)
                try await callers?.admit(request.parameters[LinkRequest.token].map { .link(engine.keyed.link($0)) })
            }, trustedProxies: trustedProxies, sha256: sha256)
    }

    package init(
        look: @escaping Look, decide: @escaping Decide, report: @escaping @Sendable (String) -> Void,
        admit: @escaping Admit = { (_) throws(LimitHit) in }, trustedProxies: AddressRanges,
        sha256: @Sendable ([UInt8]) -> [UInt8]
    ) {
        showLink = ShowLink(look: look)
        decideLink = DecideLink(decide: decide, addresses: ClientAddress(trustedProxies: trustedProxies))
        answers = LinkPages(policy: PagePolicy(sha256: sha256))
        self.report = report
        self.admit = admit
    }

    package var routes: [Route] {
        let pattern = "/l/{\(LinkRequest.token)}"
        return [
            route(.get, pattern, .ignored, showLink.respond),
            route(.post, pattern, decisionRule, decideLink.respond),
        ]
    }

    private func route(
        _ method: Method, _ pattern: String, _ body: BodyRule,
        _ respond: @escaping @Sendable (Request) async throws(LinkError) -> LinkView
    ) -> Route {
        Route(method, pattern, body: body) { [self] request in
            do throws(LinkError) {
                do throws(LimitHit) { try await admit(request) } catch { throw LinkError.rateLimited(error) }
                let view = try await respond(request)
                if case .ended(let ending) = view, ending.target != nil, LinkTarget(ending.target) == nil {
                    report("request \(request.id): a final target that is no web address")
                }
                return answers.response(to: view)
            } catch {
                if case .internalFault(let reason) = error { report("request \(request.id): \(reason)") }
                return answers.response(to: error)
            }
        }
    }

    private var decisionRule: BodyRule {
        BodyRule(
            maxBytes: BodyBound.short.bytes, refusal: refusal(ofHead:),
            tooLarge: { _ in answers.response(to: .body(.tooLarge(.short))) })
    }

    /// Why a decision fails whatever its body is.
    private func refusal(ofHead request: Request) -> Response? {
        do throws(BodyDefect) {
            try RequestBody.checkHead(request, mediaType: RequestBody.form, upTo: .short)
            return nil
        } catch {
            return answers.response(to: .body(error))
        }
    }
}

enum LinkRequest {
    /// The path parameter. Whatever it is, the engine says whether there is such a link.
    static let token = "linkToken"
}
