import ClientSurfaces
import HTTPServer
import Locks
import OperationsSurfaces
import Engine
import Possession
import ProveSurfaces
import Sandbox
import SandboxSurfaces
import ServerDescription
import StrictJSON
import SurfaceKit
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// Sessions whose number has a standing that somebody outside is asked for.
@Suite struct ReputationSourceTests {
    private typealias Answer = Result<Reputation, ReputationFault>

    /// Answers as it is told, and remembers what it was asked.
    private final class Asked: ReputationSource {
        private let state: Locked<(answer: Answer, queries: [ReputationQuery])>
        /// Runs while the answer is on its way.
        private let meanwhile = Locked<(@Sendable () async -> Void)?>(nil)

        init(_ answer: Answer) { state = Locked((answer, [])) }

        var numbers: [String] { state.withLock { $0.queries.map(\.number.e164) } }
        var queries: [ReputationQuery] { state.withLock { $0.queries } }
        func answer(_ answer: Answer) { state.withLock { $0.answer = answer } }
        func meanwhile(_ work: @escaping @Sendable () async -> Void) { meanwhile.withLock { $0 = work } }

        func standing(_ query: ReputationQuery) async throws(ReputationFault) -> Reputation {
            let answer = state.withLock { state in
                state.queries.append(query)
                return state.answer
            }
            let work = meanwhile.withLock { work in
                defer { work = nil }
                return work
            }
            await work?()
            return try answer.get()
        }
    }

    private static let swapped = Reputation(failureReasons: [.init(code: "9135", text: "SIM swap under 24 hours ago")])
    private static let unknown = Reputation.Reason(code: "9190", text: "standing not known")
    private static let passed: JSONValue = ["result": "pass"]
    private static let incomplete: JSONValue = [
        "result": "fail", "failureReasons": ["9100": "possession incomplete"],
    ]
    private static let swappedRisk: JSONValue = [
        "result": "fail", "failureReasons": ["9135": "SIM swap under 24 hours ago"],
    ]
    private static let asks = #"{"possessionType":"mobile","phoneNumber":"2001004014","checkReputation":true}"#

    private func world(
        _ source: Asked, whenUnknown: ReputationCheck.WhenUnknown = .fail, stopsSends: Bool = true
    ) async throws -> World {
        var options = World.Options()
        options.reputation = ReputationCheck(
            source, whenUnknown: whenUnknown, unknown: Self.unknown, stopsSends: stopsSends)
        let world = try await World(options)
        world.carrier.answer(.success(.verified(true)))
        return world
    }

    private func events(_ world: World, _ started: World.Started) async throws -> [String] {
        let path = "/sandbox/sessions/\(started.correlationID)"
        return await world.get(path).json["events"]?.array?.compactMap { event in
            let name = event.object?["event"]?.string
            guard name?.hasPrefix("reputation") == true else { return nil }
            return [name, event.object?["detail"]?.string].compactMap(\.self).joined(separator: " ")
        } ?? []
    }

    // MARK: Before a message

    @Test(arguments: ["otp", "link"]) func `a bad standing stops the message`(kind: String) async throws {
        let source = Asked(.success(Self.swapped))
        let world = try await world(source)
        let started = await world.start(Self.asks)
        let app = App(world, started)
        _ = await app.redeem(fallback: kind)
        let answer = await app.post("/\(kind)")
        #expect(answer.status == 200 && answer.json["status"] == "done" && answer.json["outcome"] == "failed")
        #expect(!answer.text.contains("9135") && !answer.text.contains("swap"), "the client is not told why")
        #expect(world.gateway.sent.isEmpty)
        let status = await world.status(started)
        #expect(status.json["success"] == "false")
        #expect(
            status.json["evaluation"] == ["authentication": Self.incomplete, "risk": Self.swappedRisk],
            "no check has passed")
        #expect(SDKShape.defects(of: status.body) == [])
        #expect(try await events(world, started) == ["reputation_failed 9135"])
        #expect(source.numbers == ["+12001004014"])
        #expect(refusal(of: await app.post("/\(kind)")) == "session_done")
        #expect(world.gateway.sent.isEmpty)
    }

    @Test func `a bad standing of another number stops the message to it`() async throws {
        let source = Asked(.success(Reputation()))
        let world = try await world(source)
        let started = await world.start(Self.asks)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        source.answer(.success(Self.swapped))
        let answer = await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#)
        #expect(answer.json["outcome"] == "failed")
        #expect(world.gateway.sent.map(\.to.text) == ["+12001004014"])
        #expect(source.numbers == ["+12001004014", "+12001004015"])
        #expect(await world.status(started).json["success"] == "false")
    }

    @Test func `the sandbox lets the checks run, and only the result is a failure`() async throws {
        let source = Asked(.success(Self.swapped))
        let world = try await world(source, stopsSends: false)
        let started = await world.start(Self.asks)
        await world.prove(started)
        #expect(world.gateway.sent.count == 1 && source.numbers.count == 1)
        #expect(await world.status(started).json["evaluation"]?.object?["risk"] == Self.swappedRisk)
    }

    @Test func `a step that cannot be taken asks nobody for long`() async throws {
        let source = Asked(.success(Self.swapped))
        let world = try await world(source)
        let started = await world.start(Self.asks)
        let app = App(world, started)
        _ = await app.redeem(fallback: "link")
        #expect(await app.post("/otp").status == 409, "and the session goes on")
        #expect(await app.read().json["status"] == "active")
        let plain = await world.start(#"{"possessionType":"mobile","phoneNumber":"2001004014"}"#)
        await world.prove(plain)
        #expect(source.numbers == ["+12001004014"], "nobody asked for the standing in the second session")
    }

    // MARK: When nobody can tell

    @Test(arguments: [
        (ReputationFault.notCovered, "no source for this number", "not_covered"),
        (.timeout, "no answer in time", "timeout"), (.resting, "source not available", "resting"),
        (.failed(reason: "operator a: sim-swap: 500"), "source not available", "failed"),
    ])
    func `fails with the reason, or passes without a verdict, as the operator has decided`(
        fault: ReputationFault, text: String, word: String
    ) async throws {
        let reasons: JSONValue = .object(["9190": .string("standing not known: " + text)])
        let strict = try await world(Asked(.failure(fault)))
        let failed = await strict.start(Self.asks)
        await strict.prove(failed)
        var status = await strict.status(failed)
        #expect(status.json["success"] == "false")
        #expect(status.json["evaluation"]?.object?["risk"] == ["result": "fail", "failureReasons": reasons])
        #expect(try await events(strict, failed) == ["reputation_failed 9190 " + word])
        #expect(strict.gateway.sent.isEmpty)

        let lenient = try await world(Asked(.failure(fault)), whenUnknown: .pass)
        let passed = await lenient.start(Self.asks)
        await lenient.prove(passed)
        status = await lenient.status(passed)
        #expect(status.json["success"] == "true" && status.json["proveId"] != nil)
        #expect(status.json["evaluation"] == ["authentication": Self.passed], "reasons are for what fails")
        #expect(try await events(lenient, passed) == ["reputation_unknown 9190 " + word])
        #expect(SDKShape.defects(of: status.body) == [])
        #expect(lenient.gateway.sent.count == 1)
    }

    @Test func `reports what went wrong, with the number masked`() async throws {
        let world = try await world(Asked(.failure(.failed(reason: "operator a: sim-swap: 500"))))
        let started = await world.start(Self.asks)
        await world.prove(started)
        let lines = world.reports.withLock { $0 }
        #expect(lines.contains { $0.hasSuffix("operator a: sim-swap: 500") })
        #expect(lines.allSatisfy { !$0.contains("2001004014") })
    }

    @Test func `decides nothing for a caller who has gone`() async throws {
        let source = Asked(.success(Reputation()))
        let world = try await world(source, whenUnknown: .pass)
        let started = await world.start(Self.asks)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        source.answer(.failure(.cancelled))
        #expect(await app.post("/otp/verify", #"{"code":"1234"}"#).status == 500)
        #expect(await world.status(started).json["success"] == "pending")
        source.answer(.success(Self.swapped))
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(await world.status(started).json["success"] == "false")
    }

    // MARK: Which number is asked about

    @Test func `a number that changes while the answer is on its way passes unseen by nobody`() async throws {
        let source = Asked(.success(Reputation()))
        let world = try await world(source, whenUnknown: .pass, stopsSends: false)
        let started = await world.start(Self.asks)
        let app = App(world, started)
        _ = await app.redeem()
        _ = await app.post("/otp")
        source.meanwhile { _ = await app.post("/otp/phone", #"{"phoneNumber":"2001004015"}"#) }
        _ = await app.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(source.numbers == ["+12001004014"])
        #expect(await world.status(started).json["success"] == "false")
        #expect(try await events(world, started) == ["reputation_failed 9190 not_asked"])
    }

    @Test func `the number that Mobile Auth finds`() async throws {
        let source = Asked(.success(Self.swapped))
        let world = try await world(source)
        world.carrier.answer(.success(.number(World.laney)))
        let started = await world.start(#"{"possessionType":"mobile","checkReputation":true}"#)
        let app = App(world, started)
        _ = await app.post("", #"{"platform":"ios"}"#)
        let walk = await app.beginMobileAuth()
        let finish = await app.post("/mobile-auth/finish", walk.finishBody(try #require(await walk.follow())))
        #expect(finish.json["outcome"] == "failed")
        #expect(source.numbers == ["+12001004015"])
    }

    @Test func `the number of a known device key, where nobody named one`() async throws {
        let source = Asked(.success(Reputation()))
        let world = try await world(source)
        func session(_ body: String) async throws -> (World.Started, App) {
            let started = await world.start(body)
            let app = App(world, started)
            let state = await app.post("", #"{"platform":"ios","fallback":"otp","deviceKey":true}"#).json
            let challenge = try #require(state["device"]?.object?["challenge"]?.string)
            let proof = FakeKey(9).deviceProof(session: started.authID, challenge: challenge, sessionKey: app.key)
            _ = await app.post("/device", #"{"proof":"\#(proof)"}"#)
            return (started, app)
        }
        let (_, first) = try await session(#"{"possessionType":"mobile","phoneNumber":"2001004014"}"#)
        _ = await first.post("/otp")
        _ = await first.post("/otp/verify", #"{"code":"1234"}"#)
        #expect(source.numbers.isEmpty)
        let (known, _) = try await session(#"{"possessionType":"mobile","checkReputation":true}"#)
        #expect(source.numbers == ["+12001004014"])
        #expect(await world.status(known).json["success"] == "true")
    }

    @Test func `the number that the backend binds, and no other`() async throws {
        let source = Asked(.success(Self.swapped))
        let world = try await world(source)
        let started = await world.start(
            #"{"possessionType":"none","phoneNumber":"2001004014","checkReputation":true}"#)
        _ = await App(world, started).post("", #"{"platform":"ios"}"#)
        let body = { (number: String) in
            #"{"correlationId":"\#(started.correlationID)","phoneNumber":"\#(number)"}"#
        }
        #expect(await world.post("/v3/unify-bind", body("2001004015")).json["success"] == "false")
        #expect(source.numbers.isEmpty, "a wrong number is not asked about")
        #expect(await world.post("/v3/unify-bind", body("2001004014")).json["success"] == "false")
        #expect(source.numbers == ["+12001004014"])
        #expect(await world.status(started).json["evaluation"]?.object?["risk"] == Self.swappedRisk)
    }

    @Test func `tells since when the backend knows the number`() async throws {
        let source = Asked(.success(Reputation()))
        let world = try await world(source)
        let enrolledAt = world.clock.now()
        let enrolled = await world.post("/v3/identity", #"{"phoneNumber":"2001004014"}"#)
        #expect(enrolled.status < 300, "\(enrolled.text)")
        _ = world.clock.advance(seconds: 86_400)
        let started = await world.start(Self.asks)
        await world.prove(started)
        let other = await world.start(Self.asks.replacing("2001004014", with: "2001004015"))
        await world.prove(other)
        let days = source.queries.map(\.knownSince)
        #expect(days.first == enrolledAt && days.last == .some(nil))
        #expect(source.queries.first?.session?.text == started.correlationID)
    }

    @Test func `a verification asks about the number of a human, and of nobody else`() async throws {
        var options = World.Options()
        let source = Asked(.failure(.timeout))
        options.reputation = ReputationCheck(source, whenUnknown: .pass, unknown: Self.unknown)
        options.users = nil
        let world = try await World(options)
        let ask = { (type: String) in
            await world.post("/v3/verify", #"{"verificationType":"\#(type)","phoneNumber":"+1\#(World.marcia)"}"#)
        }
        _ = await ask("prefillForBiz")
        #expect(source.numbers.isEmpty)
        let answer = await ask("humanAssurance")
        #expect(answer.json["success"] == "true", "\(answer.text)")
        #expect(answer.json["evaluation"]?.object?["risk"] == nil)
        #expect(source.numbers == ["+1\(World.marcia)"])
    }
}
