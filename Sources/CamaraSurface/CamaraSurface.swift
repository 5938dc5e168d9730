package import HTTPServer
package import Engine
package import Possession
package import SurfaceKit

/// Serves backends written for a mobile operator's gateway (CAMARA): tokens, codes by text message, proofs of a phone's
/// number, and SIM swaps.
package struct CamaraSurface: Sendable {
    /// Every endpoint: its route and its part of the API description come from here.
    private static let calls: [SurfaceCall<CamaraSurface>] = [
        SurfaceCall(ReadConfiguration.operations) { ReadConfiguration(publicURL: $0.publicURL).routes },
        SurfaceCall(RefuseAuthorization.operations) { _ in RefuseAuthorization().routes },
        SurfaceCall(IssueCamaraToken.operations) { $0.tokens.routes },
        SurfaceCall(SendCode.operations) { SendCode(codes: $0.codes).routes($0.gate) },
        SurfaceCall(ValidateCode.operations) { ValidateCode(codes: $0.codes).routes($0.gate) },
        SurfaceCall(VerifyNumber.operations) {
            VerifyNumber(numbers: $0.numbers, sha256: $0.sha256).routes($0.gate)
        },
        SurfaceCall(ShareNumber.operations) { ShareNumber(numbers: $0.numbers).routes($0.gate) },
        SurfaceCall(CheckSIMSwap.operations) { CheckSIMSwap(swaps: $0.swaps).routes($0.gate) },
        SurfaceCall(ReadSIMSwap.operations) { ReadSIMSwap(swaps: $0.swaps).routes($0.gate) },
    ]

    private let publicURL: String
    private let gate: CamaraGate
    private let tokens: IssueCamaraToken
    private let codes: CamaraVerifications
    private let numbers: NumberProofs
    private let swaps: SIMSwaps
    private let sha256: @Sendable ([UInt8]) -> [UInt8]

    /// - Parameters:
    ///   - logins: shared with the other surfaces for backends, so that failures and rates of an API client are counted
    ///     once.
    ///   - keys: verifies the signatures of API clients.
    ///   - uses: lets one of all servers accept an assertion.
    ///   - systemNow: the machine's clock.
    package init(
        engine: Engine, logins: ClientLogin, keys: any ClientKeyVerifier, uses: SharedUses, publicURL: String,
        sha256: @escaping @Sendable ([UInt8]) -> [UInt8], systemNow: @escaping Now
    ) {
        self.publicURL = publicURL
        let audience = ReadConfiguration.issuer(publicURL)
        gate = CamaraGate(logins: logins, engine: engine, audience: audience)
        tokens = IssueCamaraToken(
            logins: logins, engine: engine, keys: keys, audience: audience,
            tokenAudiences: [publicURL + CamaraPath.token, audience], used: UsedAssertions(), uses: uses,
            sha256: sha256, systemNow: systemNow, numbers: NumberProofs(engine))
        codes = CamaraVerifications(engine)
        numbers = NumberProofs(engine)
        swaps = SIMSwaps(numbers: numbers, service: SIMSwapService(engine), logins: logins)
        self.sha256 = sha256
    }

    package var routes: [Route] { Self.calls.flatMap { $0.routes(self) } }

    /// Answers for paths below the prefix that no call has.
    package var area: Area {
        Area(CamaraPath.base) { request, failure in
            Correlator.echoed(CamaraError.absent(failure).response, to: request)
        }
    }

    /// The surface as a separate API description.
    package static let description = SurfaceDescription(
        calls.flatMap(\.operations),
        schemas: [
            (ErrorShape.camara.name, CamaraError.schema), ErrorShape.camara.orFailure,
            (ErrorShape.camaraToken.name, TokenRefusal.schema), ErrorShape.camaraToken.orFailure,
        ])

    package static let documentPath = CamaraPath.base + "/openapi.json"

    package static let info = APIDocument.Info(
        title: "Holdfast as a CAMARA provider",
        summary: "One Time Password SMS, Number Verification and SIM Swap, as a mobile operator's gateway has them.",
        detail: """
            The calls of a mobile operator's gateway (GSMA Open Gateway, CAMARA), all below /camara. A token comes from \
            /camara/token. Members that are not described are refused. The header field x-correlator comes back with every \
            answer. What is the same as at an operator, and what is not, is in docs/camara.md.
            """)
}
