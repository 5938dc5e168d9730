package import HTTPServer
package import Possession
package import SurfaceKit

/// What an app's backend calls about people rather than sessions: verification, Identity Manager and domains (Prove
/// sections 7 and 8). Behind the platform's gate: one access token and one rate for both.
package struct IdentitySurface: Sendable {
    private let gate: PlatformGate
    private let parts: Parts

    /// What endpoints are made of.
    private struct Parts: Sendable {
        let verification: VerificationService
        let manager: IdentityManager
        let domains: Domains
        let erasure: Erasure
    }

    /// Every endpoint: its routes and its part of the API description come from here.
    private static let calls: [PlatformCall<Parts>] = [
        PlatformCall { VerifyPerson(service: $0.verification) },
        PlatformCall { VerifyPeople(service: $0.verification) },
        PlatformCall { EnrolIdentity(manager: $0.manager) },
        PlatformCall { EnrolIdentities(manager: $0.manager) },
        PlatformCall { ListIdentities(manager: $0.manager) },
        PlatformCall { LookUpIdentity(manager: $0.manager) },
        PlatformCall { ReadIdentity(manager: $0.manager) },
        PlatformCall { RemoveIdentity(manager: $0.manager, erasure: $0.erasure) },
        PlatformCall { ActivateIdentity(manager: $0.manager) },
        PlatformCall { DeactivateIdentity(manager: $0.manager) },
        PlatformCall { FindAcrossDomains(domains: $0.domains) },
        PlatformCall { ReadDomain(domains: $0.domains) },
        PlatformCall { ListDomainLinks(domains: $0.domains) },
        PlatformCall { RequestDomainLink(domains: $0.domains) },
        PlatformCall { ConfirmDomainLink(domains: $0.domains) },
        PlatformCall { RemoveDomainLink(domains: $0.domains) },
        PlatformCall { DiscoverAttributes(domains: $0.domains) },
        PlatformCall { FetchAttribute(domains: $0.domains) },
    ]

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate, domains: any DomainStore, erasure: Erasure) {
        self.gate = gate
        parts = Parts(
            verification: VerificationService(gate.engine), manager: IdentityManager(gate.engine),
            domains: Domains(gate.engine, store: domains), erasure: erasure)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(parts, gate) } }

    /// The surface in the API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [
            IdentityReplies.record.named, VerificationReplies.identity.named, VerificationReplies.evaluation.named,
        ])
}
