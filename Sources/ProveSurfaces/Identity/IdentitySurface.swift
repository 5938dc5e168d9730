package import HTTPServer
package import Possession
internal import SurfaceKit

/// What an app's backend calls about people rather than sessions: verification, Identity Manager and domains (Prove
/// sections 7 and 8). Behind the platform's gate: one access token and one rate for both.
package struct IdentitySurface: Sendable {
    private let gate: PlatformGate
    private let verification: VerificationService
    private let manager: IdentityManager
    private let domains: Domains
    private let erasure: Erasure

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate, domains: any DomainStore, erasure: Erasure) {
        self.erasure = erasure
        self.gate = gate
        verification = VerificationService(gate.engine)
        manager = IdentityManager(gate.engine)
        self.domains = Domains(gate.engine, store: domains)
    }

    package var routes: [Route] { verifyRoutes + identityRoutes + domainRoutes }

    private var verifyRoutes: [Route] {
        [
            route(.post, "/v3/verify", body: .person, VerifyPerson(service: verification).respond),
            route(.post, "/v3/verify/batch", body: .batch, VerifyPeople(service: verification).respond),
        ]
    }

    private var identityRoutes: [Route] {
        let list = ListIdentities(manager: manager)
        let enrol = EnrolIdentity(manager: manager)
        return [
            route(.post, "/v3/identity", body: .person, enrol.respond),
            // SDKs of mid-2025 enrol there.
            route(.post, "/v3/identity/", body: .person, enrol.respond),
            route(.post, "/v3/identity/batch", body: .batch, EnrolIdentities(manager: manager).respond),
            route(.get, "/v3/identity", list.respond),
            // As older documentation has it (Prove section 4).
            route(.get, "/v3/identity/", list.respond),
            route(.get, "/v3/identity/{mobileNumber}/lookup", LookUpIdentity(manager: manager).respond),
            route(.get, "/v3/identity/{proveId}", ReadIdentity(manager: manager).respond),
            route(.delete, "/v3/identity/{proveId}", RemoveIdentity(manager: manager, erasure: erasure).respond),
            route(
                .post, "/v3/identity/{proveId}/activate", body: .optional,
                SetIdentityActive(manager: manager, isActive: true).respond),
            route(
                .post, "/v3/identity/{proveId}/deactivate", body: .optional,
                SetIdentityActive(manager: manager, isActive: false).respond),
            route(
                .post, "/v3/identity/{identityId}/cross-domain", body: .optional,
                FindAcrossDomains(domains: domains).respond),
        ]
    }

    private var domainRoutes: [Route] {
        [
            route(.get, "/v3/domain/id", ReadDomain(domains: domains).respond),
            route(.get, "/v3/domain/linked", ListDomainLinks(domains: domains).respond),
            route(.post, "/v3/domain/link", body: .single, RequestDomainLink(domains: domains).respond),
            route(.post, "/v3/domain/confirm-link", body: .single, ConfirmDomainLink(domains: domains).respond),
            route(.post, "/v3/domain/unlink", body: .single, RemoveDomainLink(domains: domains).respond),
            route(.get, "/v3/discover", DiscoverAttributes(domains: domains).respond),
            route(.get, "/v3/fetch", FetchAttribute(domains: domains).respond),
        ]
    }

    private func route(
        _ method: Method, _ pattern: String, body: IdentityBody = .none,
        _ respond: @escaping @Sendable (Request, Tenant) async throws(PlatformError) -> Response
    ) -> Route {
        gate.route(
            method, pattern, body: body.bound, onHead: { [self] in refusal(ofHead: $0, body) }, respond)
    }

    /// As `PlatformGate.refusal(ofHead:)`, by what the call's body may be.
    private func refusal(ofHead request: Request, _ body: IdentityBody) -> Response? {
        do throws(PlatformError) {
            _ = try gate.claims(of: request)
            try body.checkHead(request)
            return nil
        } catch {
            return error.response
        }
    }
}
