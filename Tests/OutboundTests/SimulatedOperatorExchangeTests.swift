import Sandbox
import SandboxSurfaces
import SurfaceKit
import HTTPServer
@testable import Outbound
import Engine
import Possession
import StrictJSON
import Testing
import Tokens

/// The adapter and the simulated operator, over sockets.
@Suite(.timeLimit(.minutes(60))) struct SimulatedOperatorExchangeTests {
    /// Stands for the server's address, which is known only once it listens.
    private static let publicURL = "http://operator.test"
    private static let redirectURI = "https://device.example/ma/v1/cb"

    private static func user(_ digits: String, _ outcome: SandboxUser.MobileAuthOutcome) -> SandboxUser {
        SandboxUser(
            digits: digits, number: PhoneNumber(e164: "+1" + digits)!, name: digits, region: .northAmerica,
            mobileAuth: outcome)
    }

    private static let users = SandboxUsers([
        user("2001004016", .match), user("2001004015", .mismatch), user("2001004017", .unavailable),
        user("2001004018", .timeout), user("2001004019", .operatorError), user("2001004014", .match),
    ])

    /// One network, the device on it, and us.
    private struct World {
        let carrier: CAMARAOperator
        let tokens: MobileAuthTokenService
        let send: OutboundSend

        /// Query that the device's hop brings back to our return hop.
        func hop(_ number: String?, isForClaim: Bool, _ attempt: AttemptID) async throws -> [String: String] {
            let number = number.flatMap { PhoneNumber(e164: $0) }
            var request = OperatorRequest(
                state: tokens.state(of: attempt), codeChallenge: tokens.codeChallenge(of: attempt),
                // Which number is claimed is not sent here: only the scope follows from it.
                claimed: isForClaim ? SandboxUsers.defaultNumber : nil)
            request.loginHint = number
            let url = try #require(carrier.authorizeURL(request))
            let response = try await send(OutboundRequest(method: "GET", url: url, timeout: .seconds(600)))
            #expect(response.status == 302)
            let location = try #require(response.headers.first { $0.name.lowercased() == "location" }?.value)
            let parts = location.split(separator: "?", maxSplits: 1)
            #expect(parts[0] == SimulatedOperatorExchangeTests.redirectURI)
            return Dictionary(
                uniqueKeysWithValues: parts[1].split(separator: "&").map { pair in
                    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return (String(parts[0]), String(parts[1]))
                })
        }

        /// Token that a phone is given over any network.
        func phoneToken(_ number: String?) async throws -> OperatorToken {
            let form = number.map { "login_hint=tel%3A%2B" + $0.dropFirst() } ?? ""
            let response = try await send(
                OutboundRequest(
                    method: "POST", url: SimulatedOperatorExchangeTests.publicURL + SimulatedOperator.phoneTokenPath,
                    headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
                    body: Array(form.utf8), timeout: .seconds(600)))
            #expect(response.status == 200)
            let text = try JSONObject.parse(response.body)["operator_token"]?.string
            return try #require(text.flatMap { OperatorToken($0) })
        }

        func identify(
            _ token: OperatorToken, _ claimed: String?
        ) async -> Result<OperatorAnswer, OperatorFault> {
            do throws(OperatorFault) {
                return .success(
                    try await carrier.identify(.token(token), claimed: claimed.flatMap { PhoneNumber(e164: $0) }))
            } catch { return .failure(error) }
        }

        func identify(
            _ code: String, _ attempt: AttemptID, _ claimed: String?
        ) async -> Result<OperatorAnswer, OperatorFault> {
            do throws(OperatorFault) {
                return .success(
                    try await carrier.identify(
                        .code(code, verifier: tokens.verifier(of: attempt)),
                        claimed: claimed.flatMap { PhoneNumber(e164: $0) }))
            } catch { return .failure(error) }
        }
    }

    private func withWorld(
        callTimeout: Duration = .seconds(600), _ body: (World) async throws -> Void
    ) async throws {
        let random = SystemRandom()
        let key = SigningKeyRecord(
            key: try SigningKey.generate(), purpose: .assertion, createdAt: Fixture.now, activatesAt: Fixture.now)
        let signer = ES256TokenService(publicURL: Self.publicURL, ring: SigningKeyRing([key]))
        let simulated = SimulatedOperator(
            .init(publicURL: Self.publicURL, clientID: "holdfast", redirectURI: Self.redirectURI), users: Self.users,
            assertions: signer, now: { Fixture.now }, randomBytes: random.randomBytes, sha256: { SHA256.digest($0) },
            hang: { try? await Task.sleep(for: .seconds(3600)) }, report: { Issue.record("\($0)") })
        let server = try Server(
            limits: Fixture.limits, loops: 1, router: Router(simulated.routes), failureResponse: failureResponse,
            observe: { _ in })
        let bound = try #require(try server.start(on: [.tcp(host: "127.0.0.1", port: 0)]).first)
        let client = Fixture.client()
        let send: OutboundSend = { (request) throws(OutboundFault) in
            var request = request
            request.url = "http://\(bound)" + request.url.dropFirst(Self.publicURL.count)
            return try await client.send(request)
        }
        var settings = OperatorSettings(
            name: "sandbox", authorizeURL: Self.publicURL + SimulatedOperator.authorizePath,
            tokenURL: Self.publicURL + SimulatedOperator.tokenPath, apiURL: Self.publicURL + SimulatedOperator.apiPath,
            clientID: "holdfast", redirectURI: Self.redirectURI)
        settings.callTimeout = callTimeout
        settings.identifyTimeout = .seconds(1200)
        let world = World(
            carrier: CAMARAOperator(
                settings, send: send, assertions: signer, now: { Fixture.now }, randomBytes: random.randomBytes),
            tokens: try MobileAuthTokenService(try #require(MasterKey([UInt8](repeating: 1, count: 32)))), send: send)
        let result: Result<Void, any Error>
        do { result = .success(try await body(world)) } catch { result = .failure(error) }
        await client.shutdown()
        await server.stop()
        try result.get()
    }

    private static func attempt(_ byte: UInt8 = 1) throws -> AttemptID {
        try #require(AttemptID([UInt8](repeating: byte, count: 16)))
    }

    private static func number(_ text: String) -> Result<OperatorAnswer, OperatorFault> {
        .success(.number(PhoneNumber(e164: text)!))
    }

    private static let error = Result<OperatorAnswer, OperatorFault>.failure(.failed(reason: "token: 500 server_error"))

    @Test(
        arguments: [
            // Nothing claimed.
            ("+12001004016", nil, number("+12001004016")), ("+12001004014", nil, number("+12001004014")),
            (nil, nil, number("+12001004016")), ("+14155550100", nil, .failure(.notOnNetwork)),
            ("+12001004015", nil, .failure(.notOnNetwork)), ("+12001004017", nil, .failure(.notOnNetwork)),
            ("+12001004018", nil, .failure(.timeout)), ("+12001004019", nil, error),
            // A number to check.
            ("+12001004016", "+12001004016", .success(.verified(true))),
            ("+12001004016", "+12001004014", .success(.verified(false))),
            ("+12001004015", "+12001004015", .success(.verified(false))),
            (nil, "+12001004016", .success(.verified(true))),
            ("+12001004017", "+12001004017", .failure(.notOnNetwork)),
            ("+12001004018", "+12001004018", .failure(.timeout)), ("+12001004019", "+12001004019", error),
        ] as [(String?, String?, Result<OperatorAnswer, OperatorFault>)])
    func `finds out what the user's script says`(
        named: String?, claimed: String?, expected: Result<OperatorAnswer, OperatorFault>
    ) async throws {
        // The simulated operator that is to be waited for in vain never answers.
        let callTimeout: Duration = expected == .failure(.timeout) ? .milliseconds(200) : .seconds(600)
        try await withWorld(callTimeout: callTimeout) { world in
            let attempt = try Self.attempt()
            let back = try await world.hop(named, isForClaim: claimed != nil, attempt)
            #expect(back["state"] == world.tokens.state(of: attempt))
            #expect(await world.identify(try #require(back["code"]), attempt, claimed) == expected)
            // And so does the token of the phone.
            #expect(await world.identify(try await world.phoneToken(named), claimed) == expected)
        }
    }

    @Test func `redeems the token of a phone once`() async throws {
        try await withWorld { world in
            let token = try await world.phoneToken("+12001004014")
            #expect(await world.identify(token, nil) == Self.number("+12001004014"))
            #expect(await world.identify(token, nil) == .failure(.failed(reason: "token: 400 invalid_grant")))
        }
    }

    @Test func `redeems a code once`() async throws {
        try await withWorld { world in
            let attempt = try Self.attempt()
            let code = try #require(try await world.hop(nil, isForClaim: false, attempt)["code"])
            #expect(await world.identify(code, attempt, nil) == Self.number("+12001004016"))
            #expect(await world.identify(code, attempt, nil) == .failure(.failed(reason: "token: 400 invalid_grant")))
        }
    }

    @Test func `redeems no code of another attempt`() async throws {
        try await withWorld { world in
            let (mine, other) = (try Self.attempt(1), try Self.attempt(2))
            let code = try #require(try await world.hop(nil, isForClaim: false, mine)["code"])
            #expect(await world.identify(code, other, nil) == .failure(.failed(reason: "token: 400 invalid_grant")))
            // And it is used up.
            #expect(await world.identify(code, mine, nil) == .failure(.failed(reason: "token: 400 invalid_grant")))
        }
    }

    @Test func `does not check a number with leave to read one`() async throws {
        try await withWorld { world in
            let attempt = try Self.attempt()
            let code = try #require(try await world.hop(nil, isForClaim: false, attempt)["code"])
            #expect(
                await world.identify(code, attempt, "+12001004016")
                    == .failure(.failed(reason: "verify: 403 PERMISSION_DENIED")))
        }
    }

    @Test func `serves many at once`() async throws {
        try await withWorld { world in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for byte in UInt8(1)...20 {
                    group.addTask {
                        let attempt = try Self.attempt(byte)
                        let code = try #require(
                            try await world.hop("+12001004014", isForClaim: byte % 2 == 0, attempt)["code"])
                        let claimed = byte % 2 == 0 ? "+12001004014" : nil
                        let expected = byte % 2 == 0 ? .success(.verified(true)) : Self.number("+12001004014")
                        #expect(await world.identify(code, attempt, claimed) == expected)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
