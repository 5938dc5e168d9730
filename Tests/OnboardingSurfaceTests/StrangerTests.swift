import HTTPServer
import Locks
import Engine
import Possession
import StrictJSON
import TestSupport
import Testing
@testable import OnboardingSurface
@testable import SurfaceKit
@testable import SurfaceTestSupport
@testable import VendorTestSupport

/// Strangers who know somebody's credentials, in live: what they learn, and whom they keep out.
@Suite(.timeLimit(.minutes(60))) struct StrangerTests {
    private static let number = PhoneNumber(e164: "+12065550131")!
    private static let byEmail = #"{"email":"a@b.example"}"#
    private static let owner = "198.51.100.1"

    /// Finds one person by each of two credentials.
    private static func world(
        _ change: (inout Possession.Limits.OverSessions) -> Void = { _ in }
    ) async throws -> OnboardingWorld {
        try await OnboardingWorld.live(change, finder: FakeFinder { _ in FoundPerson(target: .number(number)) })
    }

    private static func code(_ onboarding: OnboardingWorld) throws -> String {
        try #require(onboarding.world.gateway.sent.last?.code?.text)
    }

    /// Tries that each of five wrong codes leaves.
    private static func guess(_ process: String, _ onboarding: OnboardingWorld, from address: String) async -> [Int64?]
    {
        var left: [Int64?] = []
        for _ in 0..<5 {
            let refused = await onboarding.activate(process, "00000000", from: address)
            left.append(refused.json["remainingAttempts"]?.integer)
        }
        return left
    }

    @Test func `a code is good until it is late, where a limit stops the one after it`() async throws {
        for (wait, status) in [(Int64(0), 200), (270, 400)] {
            let onboarding = try await Self.world { $0.sendsPerQuarterHour = 1 }
            let process = await onboarding.start().processID
            let code = try Self.code(onboarding)
            _ = onboarding.world.clock.advance(seconds: 30)
            #expect(await onboarding.call("/otp/resend", process).status == 200)
            #expect(onboarding.world.gateway.sent.count == 1)
            _ = onboarding.world.clock.advance(seconds: wait)
            #expect(await onboarding.activate(process, code).status == status)
        }
    }

    @Test func `wrong codes by other credentials of the same person tell nothing`() async throws {
        let onboarding = try await Self.world()
        var seen: Set<[Int64?]> = []
        for said in [OnboardingWorld.known, Self.byEmail, #"{"a":"1"}"#, #"{"a":"2"}"#] {
            let process = await onboarding.start(said, from: "192.0.2.1").processID
            seen.insert(await Self.guess(process, onboarding, from: "192.0.2.1"))
        }
        #expect(seen == [[4, 3, 2, 1, 0]])
    }

    /// A stranger knows all credentials. From two networks ten wrong codes are typed, then the person types the right one.
    @Test func `wrong codes from elsewhere do not shut out the person's own process`() async throws {
        let onboarding = try await Self.world()
        let own = await onboarding.start(from: Self.owner).processID
        let code = try Self.code(onboarding)
        for stranger in ["203.0.113.1", "192.0.2.1"] {
            let theirs = await onboarding.start(from: stranger).processID
            #expect(theirs != own)
            #expect(await Self.guess(theirs, onboarding, from: stranger) == [4, 3, 2, 1, 0])
            #expect(await onboarding.call("/cleanup", theirs).status == 200)
        }
        #expect(await onboarding.call("/status", own).processState == "ACTIVATION_IN_PROGRESS")
        #expect(await onboarding.activate(own, code, from: Self.owner).status == 200)
    }

    @Test func `a day of wrong codes shuts out nobody, and no code of theirs is looked at without a message`()
        async throws
    {
        let onboarding = try await Self.world()
        for network in 0..<60 {
            let stranger = "203.0.\(network).1"
            for start in 0..<5 {
                let process = await onboarding.start(from: stranger).processID
                #expect(await Self.guess(process, onboarding, from: stranger) == [4, 3, 2, 1, 0], "\(start)")
            }
            _ = onboarding.world.clock.advance(seconds: 1_000)
        }
        // 1,500 guesses in 17 hours. Messages that the number had bound those that could have been right.
        #expect(onboarding.world.gateway.sent.count <= 10)
        #expect(!onboarding.world.hits.withLock { $0.contains(.wrongCodes) })
        _ = onboarding.world.clock.advance(seconds: 86_400)
        let own = await onboarding.start(from: Self.owner).processID
        #expect(await onboarding.activate(own, try Self.code(onboarding), from: Self.owner).status == 200)
    }

    @Test func `people of one network go on with one process`() async throws {
        let onboarding = try await Self.world()
        let first = await onboarding.start(from: "198.51.100.1").processID
        #expect(await onboarding.start(from: "198.51.100.200").processID == first)
        #expect(await onboarding.start(from: "198.51.101.1").processID != first)
        let six = await onboarding.start(from: "2001:db8:0:1::1").processID
        #expect(await onboarding.start(from: "2001:db8:0:2::1").processID == six)
        #expect(await onboarding.start(from: "2001:db8:1::1").processID != six)
    }

    @Test func `no number of wrong codes keeps anybody out for ever`() async throws {
        let onboarding = try await Self.world()
        for day in 0..<10 {
            for hour in 0..<5 {
                let stranger = "203.0.\(day).\(hour)"
                _ = onboarding.world.clock.advance(seconds: 3600)
                let process = await onboarding.start(#"{"day":\#(day),"hour":\#(hour)}"#, from: stranger).processID
                _ = await Self.guess(process, onboarding, from: stranger)
            }
            _ = onboarding.world.clock.advance(seconds: 86_400)
        }
        _ = onboarding.world.clock.advance(seconds: 8 * 86_400)
        let sent = onboarding.world.gateway.sent.count
        let process = await onboarding.start(from: Self.owner).processID
        #expect(onboarding.world.gateway.sent.count == sent + 1)
        #expect(await onboarding.activate(process, try Self.code(onboarding), from: Self.owner).status == 200)
    }

    @Test func `a finder that fails tells nobody that there was somebody`() async throws {
        let fails = Locked(false)
        let finder = FakeFinder { (_) throws(IdentityFault) in
            guard !fails.withLock({ $0 }) else { throw .unavailable(reason: "down") }
            return FoundPerson(target: .number(Self.number))
        }
        let onboarding = try await OnboardingWorld.live(finder: finder)
        let process = await onboarding.start().processID
        fails.withLock { $0 = true }
        #expect(await onboarding.start().processID == process)
        fails.withLock { $0 = false }
        #expect(await onboarding.start().processID == process)
        #expect(await onboarding.activate(process, try Self.code(onboarding)).status == 200)
    }

    @Test(arguments: ["Ada\\u0000's\\u0007 phone", String(repeating: "n", count: 4000)])
    func `no name of a phone costs a try`(name: String) async throws {
        let onboarding = try await OnboardingWorld()
        let process = await onboarding.start().processID
        let body = #"""
            {"requestObject":{"type":"CUSTOM","identityAttributes":{"processId":"\#(process)","otpCode":"12345678",\
            "credentialsType":"ONBOARDING"},"activationData":{"devicePublicKey":"\#(OnboardingWorld.points[0])",\
            "activationName":"\#(name)"}}}
            """#.replacing("\\\n", with: "")
        let made = await onboarding.device("/activation/create", body)
        #expect(made.status == 200)
        let id = try #require(made.answered["activationId"]?.string.flatMap { ActivationID($0) })
        let kept = try #require(try await onboarding.world.store.activation(id)?.details.name)
        #expect(kept == "Ada's phone" || kept.utf8.count == 255)
    }
}
