import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import CamaraSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// An operator with given answers, which keeps the questions.
final class FakeSIMSwaps: SIMSwapSource {
    let answer: Locked<Result<SIMSwapAnswer, ReputationFault>>
    let asked = Locked<[SIMSwapQuestion]>([])

    init(_ answer: Result<SIMSwapAnswer, ReputationFault>) { self.answer = Locked(answer) }

    func simSwap(
        _ question: SIMSwapQuestion, of number: PhoneNumber
    ) async throws(ReputationFault) -> SIMSwapAnswer {
        asked.withLock { $0.append(question) }
        return try answer.withLock { $0 }.get()
    }
}

/// Keeps entries in memory.
private final class KeptAudit: AuditLog {
    let entries = Locked<[AuditEntry]>([])

    func add(_ entry: AuditEntry) async throws(StorageFault) { entries.withLock { $0.append(entry) } }
    func submit(_ entry: AuditEntry) { entries.withLock { $0.append(entry) } }
    func auditing<Value: Sendable>(
        _ entry: AuditEntry, _ work: () async -> Value
    ) async -> (Value, isStored: Bool) {
        entries.withLock { $0.append(entry) }
        return (await work(), true)
    }
}

/// SIM Swap 2.1.
@Suite(.timeLimit(.minutes(60))) struct CamaraSIMSwapTests {
    private static let purpose = "dpv:FraudPreventionAndDetection "
    private static let lorant = #"{"phoneNumber":"+12001004014"}"#

    private static func world(
        _ source: FakeSIMSwaps?, _ change: (inout World.Options) -> Void = { _ in }
    ) async throws -> (camara: CamaraWorld, token: String) {
        let camara = try await CamaraWorld {
            $0.simSwaps = source
            change(&$0)
        }
        let token = await camara.ask(camara.assertion("s"), scope: purpose + "sim-swap").json["access_token"]?.string
        return (camara, try #require(token))
    }

    @Test func `checks for a swap in so many hours, 240 without a figure`() async throws {
        let source = FakeSIMSwaps(.success(.swapped(true)))
        let (camara, token) = try await Self.world(source)
        for more in ["", #","maxAge":24"#, #","maxAge":2400.0"#, #","maxAge":1"#, #","maxAge":null"#] {
            let answer = await camara.askAboutSIM("check", #"{"phoneNumber":"+12001004014"\#(more)}"#, token)
            #expect(answer.status == 200 && answer.json == ["swapped": true])
        }
        #expect(source.asked.withLock { $0 } == [240, 24, 2400, 1, 240].map { .within(hours: $0) })
        source.answer.withLock { $0 = .success(.swapped(false)) }
        #expect(await camara.askAboutSIM("check", Self.lorant, token).json == ["swapped": false])
    }

    @Test func `tells the date, or that it is not told`() async throws {
        let source = FakeSIMSwaps(.success(.last(Timestamp(seconds: 1_767_261_600))))
        let (camara, token) = try await Self.world(source)
        let dated = await camara.askAboutSIM("retrieve-date", Self.lorant, token)
        #expect(dated.status == 200 && dated.json == ["latestSimChange": "2026-01-01T10:00:00Z"])
        source.answer.withLock { $0 = .success(.untold(monitoredDays: 120)) }
        let untold = await camara.askAboutSIM("retrieve-date", Self.lorant, token)
        #expect(untold.json == ["latestSimChange": .null, "monitoredPeriod": 120])
        source.answer.withLock { $0 = .success(.untold(monitoredDays: nil)) }
        #expect(await camara.askAboutSIM("retrieve-date", Self.lorant, token).json == ["latestSimChange": .null])
    }

    @Test(
        arguments: [
            (#""24""#, "INVALID_ARGUMENT"), ("24.5", "INVALID_ARGUMENT"), ("true", "INVALID_ARGUMENT"),
            ("0", "OUT_OF_RANGE"), ("-1", "OUT_OF_RANGE"), ("2401", "OUT_OF_RANGE"), ("100000", "OUT_OF_RANGE"),
        ] as [(String, String)])
    func `refuses an age that cannot be asked`(age: String, code: String) async throws {
        let source = FakeSIMSwaps(.success(.swapped(true)))
        let (camara, token) = try await Self.world(source)
        let refused = await camara.askAboutSIM("check", #"{"phoneNumber":"+12001004014","maxAge":\#(age)}"#, token)
        #expect(refused.status == 400 && refused.camaraCode == code)
        #expect(refused.json["message"]?.string?.contains("'maxAge'") == true)
        #expect(source.asked.withLock { $0 }.isEmpty)
    }

    @Test func `says how far an operator may look back`() async throws {
        let source = FakeSIMSwaps(.success(.untold(monitoredDays: 30)))
        let (camara, token) = try await Self.world(source)
        let refused = await camara.askAboutSIM("check", Self.lorant, token)
        #expect(refused.status == 400 && refused.camaraCode == "OUT_OF_RANGE")
        #expect(refused.json["message"]?.string?.hasSuffix("which are 30 days") == true)
    }

    @Test(arguments: ["check", "retrieve-date"])
    func `the call names a number exactly where the token names none`(call: String) async throws {
        let source = FakeSIMSwaps(.success(call == "check" ? .swapped(true) : .untold(monitoredDays: nil)))
        let (camara, client) = try await Self.world(source)
        let missing = await camara.askAboutSIM(call, "{}", client)
        #expect(missing.status == 422 && missing.camaraCode == "MISSING_IDENTIFIER")
        let scope = Self.purpose + "sim-swap:\(call)"
        let issued = await camara.ask(about: "tel:+12001004014", "tel", scope: scope)
        let person = try #require(issued.json["access_token"]?.string)
        #expect(await camara.askAboutSIM(call, "{}", person).status == 200)
        let both = await camara.askAboutSIM(call, Self.lorant, person)
        #expect(both.status == 422 && both.camaraCode == "UNNECESSARY_IDENTIFIER")
        let other = await camara.askAboutSIM(call == "check" ? "retrieve-date" : "check", "{}", person)
        #expect(other.status == 403 && other.camaraCode == "PERMISSION_DENIED")
        _ = camara.world.clock.advance(seconds: 900)
        #expect(await camara.askAboutSIM(call, "{}", person).camaraCode == "UNAUTHENTICATED")
    }

    @Test func `a token of the phone's operator names the number, and a grant only one that is served`() async throws {
        let source = FakeSIMSwaps(.success(.swapped(true)))
        let (camara, _) = try await Self.world(source)
        camara.world.carrier.answer(.success(.number(try #require(PhoneNumber(e164: "+12001004016")))))
        let scope = Self.purpose + "sim-swap"
        let issued = await camara.ask(about: "operatortoken:abc", "1", scope: scope)
        let phone = try #require(issued.json["access_token"]?.string)
        #expect(await camara.askAboutSIM("check", "{}", phone).status == 200)
        let unknown = await camara.ask(about: "tel:+12065550123", "2", scope: scope)
        #expect(unknown.status == 400 && unknown.json["error"] == "invalid_grant")
    }

    @Test func `only the scope of the call, or that of both, lets it in`() async throws {
        let (camara, _) = try await Self.world(FakeSIMSwaps(.success(.swapped(true))))
        for scope in ["sim-swap:retrieve-date", "one-time-password-sms:send-validate", "number-verification:verify"] {
            let token = await camara.ask(camara.assertion(scope), scope: Self.purpose + scope).json["access_token"]
            let refused = await camara.askAboutSIM("check", Self.lorant, token?.string)
            #expect(refused.status == 403 && refused.camaraCode == "PERMISSION_DENIED")
        }
        for token in [nil, "invalid"] {
            let refused = await camara.askAboutSIM("check", Self.lorant, token)
            #expect(refused.status == 401 && refused.camaraCode == "UNAUTHENTICATED")
        }
    }

    @Test(
        arguments: [
            (.failure(.notCovered), 422, "SERVICE_NOT_APPLICABLE"), (.failure(.timeout), 503, "UNAVAILABLE"),
            (.failure(.resting), 503, "UNAVAILABLE"), (.failure(.failed(reason: "r")), 503, "UNAVAILABLE"),
        ] as [(Result<SIMSwapAnswer, ReputationFault>, Int, String)])
    func `says why there is no answer`(
        answer: Result<SIMSwapAnswer, ReputationFault>, status: Int, code: String
    ) async throws {
        let (camara, token) = try await Self.world(FakeSIMSwaps(answer))
        for call in ["check", "retrieve-date"] {
            let refused = await camara.askAboutSIM(call, Self.lorant, token)
            #expect(refused.status == status && refused.camaraCode == code)
        }
        #expect(camara.world.reports.withLock { $0 }.allSatisfy { !$0.contains("2001004014") })
    }

    @Test func `asks nobody about a number that is not served, or of a closed country`() async throws {
        let source = FakeSIMSwaps(.success(.swapped(true)))
        let (camara, token) = try await Self.world(source) { $0.rules.callingCodes = ["49"] }
        let closed = await camara.askAboutSIM("check", Self.lorant, token)
        #expect(closed.status == 422 && closed.camaraCode == "SERVICE_NOT_APPLICABLE")
        let unknown = await camara.askAboutSIM("check", #"{"phoneNumber":"+12065550123"}"#, token)
        #expect(unknown.status == 404 && unknown.camaraCode == "IDENTIFIER_NOT_FOUND")
        let malformed = await camara.askAboutSIM("check", #"{"phoneNumber":"2001004014"}"#, token)
        #expect(malformed.status == 400 && malformed.camaraCode == "INVALID_ARGUMENT")
        #expect(source.asked.withLock { $0 }.isEmpty)
        let (none, other) = try await Self.world(nil)
        #expect(await none.askAboutSIM("check", Self.lorant, other).camaraCode == "SERVICE_NOT_APPLICABLE")
    }

    @Test func `an API client asks 20 times an hour about a number, and each question is audited`() async throws {
        let (source, audit) = (FakeSIMSwaps(.success(.swapped(false))), KeptAudit())
        let (camara, token) = try await Self.world(source) {
            $0.limits.overSessions = .init()
            $0.audit = audit
        }
        for _ in 0..<20 { #expect(await camara.askAboutSIM("check", Self.lorant, token).status == 200) }
        let refused = await camara.askAboutSIM("retrieve-date", Self.lorant, token)
        #expect(refused.status == 429 && refused.camaraCode == "TOO_MANY_REQUESTS")
        #expect(refused.header("retry-after") == "3600")
        #expect(source.asked.withLock { $0.count } == 20)
        #expect(camara.world.hits.withLock { $0 } == [.questionsPerNumber])
        let other = await camara.askAboutSIM("check", #"{"phoneNumber":"+12001004015"}"#, token)
        #expect(other.status == 200)
        _ = camara.world.clock.advance(seconds: 3599)
        #expect(await camara.askAboutSIM("check", Self.lorant, token).status == 429)
        let entry = try #require(audit.entries.withLock { $0.first { $0.event == .simSwapAsked } })
        #expect(entry.actor == .client && entry.client?.text == "sandbox" && entry.requestID == "q")
        #expect(entry.target == .number(try #require(PhoneNumber(e164: CamaraWorld.lorant))))
        #expect(entry.detail.map(\.value) == ["check"])
    }

    // MARK: network-as-code

    private static let prefix = "/camara/passthrough/camara/v1"

    @Test func `the library of Nokia calls with an API key, or with a token`() async throws {
        let source = FakeSIMSwaps(.success(.swapped(true)))
        let (camara, token) = try await Self.world(source)
        let path = Self.prefix + "/sim-swap/sim-swap/v0/"
        func ask(_ token: String?, _ key: String, _ path: String) async -> Response {
            await camara.askAboutSIM("check", Self.lorant, token, path: path, [("x-rapidapi-key", key)])
        }
        #expect(await ask(nil, "hf_test_sandbox", path).json == ["swapped": true])
        #expect(await ask(token, "anything", path).json == ["swapped": true])
        #expect(await ask("invalid", "hf_test_sandbox", path).status == 401)
        #expect(await ask(nil, "sdk_sandbox", path).status == 401)
        #expect(await ask(nil, "", path).status == 401)
        #expect(await ask(nil, "hf_test_sandbox", "/camara/sim-swap/v2/").status == 401)
    }

    @Test func `it verifies numbers by a token about the phone`() async throws {
        let camara = try await CamaraWorld()
        camara.world.carrier.answer(.success(.number(try #require(PhoneNumber(e164: "+12001004016")))))
        let token = try #require(await camara.ask(about: "operatortoken:abc", "1").json["access_token"]?.string)
        for version in ["v0", "v2"] {
            let path = Self.prefix + "/number-verification/number-verification/\(version)/"
            let verified = await camara.askAboutSIM("verify", #"{"phoneNumber":"+12001004016"}"#, token, path: path)
            #expect(verified.json == ["devicePhoneNumberVerified": true])
            let byKey = await camara.askAboutSIM(
                "verify", #"{"phoneNumber":"+12001004016"}"#, nil, path: path, [("x-rapidapi-key", "hf_test_sandbox")])
            #expect(byKey.status == 403 && byKey.camaraCode == "USER_NOT_AUTHENTICATED_BY_MOBILE_NETWORK")
            let told = await camara.client.send(
                World.request(
                    .get, path + "device-phone-number", "", [("authorization", "Bearer \(token)")], contentType: nil))
            #expect(told.json == ["devicePhoneNumber": "+12001004016"])
        }
    }
}
