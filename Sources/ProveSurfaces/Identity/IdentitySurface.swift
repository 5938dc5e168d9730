package import HTTPServer
package import Engine
internal import Possession
package import SurfaceKit

/// Calls of an app's backend about people, not sessions: verification, Identity Manager and domains (Prove sections 7
/// and 8). Uses the platform's gate: the same access token and the same rate.
package struct IdentitySurface: PlatformGated {
    let gate: PlatformGate
    private let verification: VerificationService
    private let manager: IdentityManager
    private let domains: Domains
    private let erasure: Erasure

    /// All endpoints: their routes and their API description come from here.
    private static let calls: [SurfaceCall<IdentitySurface>] = [
        SurfaceCall { VerifyPerson(service: $0.verification) },
        SurfaceCall { VerifyPeople(service: $0.verification) },
        SurfaceCall { EnrolIdentity(manager: $0.manager) },
        SurfaceCall { EnrolIdentities(manager: $0.manager) },
        SurfaceCall { ListIdentities(manager: $0.manager) },
        SurfaceCall { LookUpIdentity(manager: $0.manager) },
        SurfaceCall { ReadIdentity(manager: $0.manager) },
        SurfaceCall { RemoveIdentity(manager: $0.manager, erasure: $0.erasure) },
        SurfaceCall { ActivateIdentity(manager: $0.manager) },
        SurfaceCall { DeactivateIdentity(manager: $0.manager) },
        SurfaceCall { FindAcrossDomains(domains: $0.domains) },
        SurfaceCall { ReadDomain(domains: $0.domains) },
        SurfaceCall { ListDomainLinks(domains: $0.domains) },
        SurfaceCall { RequestDomainLink(domains: $0.domains) },
        SurfaceCall { ConfirmDomainLink(domains: $0.domains) },
        SurfaceCall { RemoveDomainLink(domains: $0.domains) },
        SurfaceCall { DiscoverAttributes(domains: $0.domains) },
        SurfaceCall { FetchAttribute(domains: $0.domains) },
    ]

    /// - Parameter gate: shared with the other surfaces of an app's backend.
    package init(gate: PlatformGate, erasure: Erasure) {
        self.gate = gate
        self.erasure = erasure
        verification = VerificationService(gate.engine)
        manager = IdentityManager(gate.engine)
        self.domains = Domains(gate.engine)
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// The API description of the surface.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [
            IdentityReplies.record.named, VerificationReplies.identity.named, VerificationReplies.evaluation.named,
        ])
}
