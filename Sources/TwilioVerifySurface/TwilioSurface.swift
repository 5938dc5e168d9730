package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit

/// Serves backends written for Twilio Verify v2, which send codes to numbers and check them.
///
/// Each API client is one account. It has a first service, and can add others. A verification is a session that its
/// backend drives.
package struct TwilioSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<TwilioSurface>] = [
        SurfaceCall { CreateVerification(verifications: $0.verifications) },
        SurfaceCall { FetchVerification(verifications: $0.verifications) },
        SurfaceCall { UpdateVerification(verifications: $0.verifications) },
        SurfaceCall { CheckVerification(verifications: $0.verifications) },
        SurfaceCall { ListAttempts(search: $0.search, publicURL: $0.publicURL) },
        SurfaceCall { SummarizeAttempts(search: $0.search) },
        SurfaceCall { FetchAttempt(search: $0.search) },
        SurfaceCall { ListServices(services: $0.services) },
        SurfaceCall { CreateService(services: $0.services) },
        SurfaceCall { FetchService(services: $0.services) },
        SurfaceCall { UpdateService(services: $0.services) },
        SurfaceCall { DeleteService(services: $0.services) },
        SurfaceCall { ListRateLimits(limits: $0.limits) },
        SurfaceCall { CreateRateLimit(limits: $0.limits) },
        SurfaceCall { FetchRateLimit(limits: $0.limits) },
        SurfaceCall { UpdateRateLimit(limits: $0.limits) },
        SurfaceCall { DeleteRateLimit(limits: $0.limits) },
        SurfaceCall { ListBuckets(limits: $0.limits) },
        SurfaceCall { CreateBucket(limits: $0.limits) },
        SurfaceCall { FetchBucket(limits: $0.limits) },
        SurfaceCall { UpdateBucket(limits: $0.limits) },
        SurfaceCall { DeleteBucket(limits: $0.limits) },
        SurfaceCall { AddSafeNumber(numbers: $0.safe) },
        SurfaceCall { FetchSafeNumber(numbers: $0.safe) },
        SurfaceCall { RemoveSafeNumber(numbers: $0.safe) },
        SurfaceCall { ListTemplates(templates: $0.templates, publicURL: $0.publicURL) },
    ]

    private let gate: TwilioGate
    fileprivate let backends: BackendGate<TwilioCaller, TwilioError>
    private let verifications: TwilioVerifications
    private let search: AttemptSearch
    private let services: Services
    private let limits: RateLimits
    private let safe: SafeNumbers
    private let templates: Templates
    private let publicURL: String

    /// - Parameters:
    ///   - logins: shared with the other surfaces for backends, so that failures and rates of an API client are counted
    ///     once.
    ///   - carries: whether a gateway carries a channel now.
    ///   - publicURL: scheme and authority of this server as its callers reach it.
    ///   - sha256: the digest that makes SIDs.
    ///   - systemNow: the machine's clock.
    package init(
        engine: Engine, logins: ClientLogin,
        carries: @escaping @Sendable (OutgoingMessage.Channel) -> Bool = { _ in true }, publicURL: String,
        sha256: @escaping @Sendable ([UInt8]) -> [UInt8], systemNow: @escaping Now
    ) {
        let brands = Brands(engine)
        gate = TwilioGate(
            logins: logins, accounts: Accounts(engine, sha256: sha256, systemNow: systemNow),
            brands: brands, report: engine.reports.log)
        backends = gate.backends
        safe = SafeNumbers(lists: NumberLists(engine), engine: engine, publicURL: publicURL)
        templates = Templates(engine: engine, sha256: sha256)
        services = Services(engine: engine, brands: brands, templates: templates, publicURL: publicURL)
        limits = RateLimits(brands: brands, publicURL: publicURL)
        verifications = TwilioVerifications(engine, safe, templates, carries: carries, publicURL: publicURL)
        search = AttemptSearch(engine, publicURL: publicURL)
        self.publicURL = publicURL
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } + AbsentResources.routes(gate) }

    /// Answers for paths below the prefix that no call has. Without credentials the answer is 401, as for every path.
    package var area: Area {
        let gate = gate
        return Area(TwilioPath.base) { request, failure in
            await TwilioError.answer(request, report: gate.report) { () async throws(TwilioError) in
                _ = try await gate.caller(of: request)
                throw .absent(failure)
            }
        }
    }

    /// The surface as a separate API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: VerificationDocument.schemas + [
            ServiceDocument.reply.named, RateLimitDocument.reply.named, BucketDocument.reply.named,
            SafeNumber.reply.named, TemplateDocument.reply.named, AttemptDocument.reply.named,
            AttemptSummary.reply.named,
            (ErrorShape.twilio.name, TwilioError.schema),
            ErrorShape.twilio.orFailure,
        ])

    package static let documentPath = TwilioPath.base + "/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast for callers of Twilio Verify", summary: "Sends codes, and checks them.",
        detail: """
            The calls of Twilio Verify v2 that backends use. Callers show an API client's Account SID, or its id, and its \
            secret. Bodies are forms. Answers have null where a member has no value. Times have whole seconds, in UTC. \
            Parameters that are described as of no effect are checked and not used; those that could not be left out \
            safely are refused. Other paths of Twilio Verify answer 404 with code 20404.
            """)
}

extension SurfaceCall<TwilioSurface> {
    fileprivate init<E: TwilioEndpoint>(_ make: @escaping @Sendable (TwilioSurface) -> E) {
        self.init(E.operations) { $0.backends.routes(make($0)) }
    }
}
