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

/// The person that a test's finder finds, as it is now.
final class FakePerson: Sendable {
    private let target: Locked<Target?>

    init(_ target: Target?) { self.target = Locked(target) }

    var found: FoundPerson? { target.withLock { $0 }.map { FoundPerson(target: $0) } }

    func become(_ other: Target?) { target.withLock { $0 = other } }
}

/// Nobody learns from the answers whether a person is known.
@Suite(.timeLimit(.minutes(60))) struct UnknownPersonTests {
    /// An answer without what is another one in each process.
    private static func plain(_ answer: Response) -> String {
        let id = answer.processID
        return "\(answer.status) \(answer.header("Retry-After") ?? "") "
            + (id.isEmpty ? answer.text : answer.text.replacing(id, with: "ID"))
    }

    /// All that a caller sees of a process, from its start to its end.
    private static func walk(_ said: String, _ onboarding: OnboardingWorld) async -> [String] {
        var seen: [Response] = []
        let started = await onboarding.start(said)
        seen.append(started)
        let id = started.processID
        seen.append(await onboarding.call("/status", id))
        seen.append(await onboarding.call("/otp/resend", id))
        for _ in 1...21 {
            _ = onboarding.world.clock.advance(seconds: 30)
            seen.append(await onboarding.call("/otp/resend", id))
        }
        seen.append(await onboarding.start(said))
        seen.append(await onboarding.call("/cleanup", id))
        seen.append(await onboarding.call("/status", id))
        seen.append(await onboarding.call("/otp/resend", id))
        for _ in 1...6 {
            let other = await onboarding.start(said)
            seen.append(other)
            seen.append(await onboarding.call("/cleanup", other.processID))
        }
        return seen.map(plain)
    }

    @Test(arguments: [true, false]) func `is answered as a known one`(isSandbox: Bool) async throws {
        var walks: [[String]] = []
        for said in [OnboardingWorld.known, OnboardingWorld.unknown] {
            let onboarding = isSandbox ? try await OnboardingWorld() : try await OnboardingWorld.live()
            walks.append(await Self.walk(said, onboarding))
        }
        #expect(walks[0] == walks[1])
        // Where limits hold, the sixth process of a day is refused.
        #expect(walks[0].contains { $0.contains("TOO_MANY_ONBOARDING_PROCESSES") } == !isSandbox)
    }

    @Test func `gets no message`() async throws {
        let onboarding = try await OnboardingWorld()
        let id = await onboarding.start(OnboardingWorld.unknown).processID
        _ = onboarding.world.clock.advance(seconds: 30)
        #expect(await onboarding.call("/otp/resend", id).status == 200)
        #expect(onboarding.world.gateway.sent.isEmpty && onboarding.world.reports.withLock { $0.isEmpty })
        let detail = await onboarding.post("/otp/detail", #"{"processId":"\#(id)","otpType":"ACTIVATION"}"#)
        #expect(detail.failure == "ONBOARDING_FAILED")
    }

    @Test func `costs the store the same`() async throws {
        let onboarding = try await OnboardingWorld()
        for said in [OnboardingWorld.known, OnboardingWorld.unknown] {
            let id = try #require(CorrelationID(await onboarding.start(said).processID))
            let session = try #require(try await onboarding.world.store.session(.correlation(id), in: .all))
            let kinds = try await onboarding.world.store.events(of: id).map(\.kind)
            #expect(kinds == [.created, .redeemed, .otpSent] && session.otp.isWaiting)
            #expect(session.sends.sendsLeft == OnboardingRules.sends - 1)
        }
    }

    /// A finder that does not answer, a number that nothing is sent to, and a limit of the number.
    @Test func `is not told apart from one whom nothing reaches`() async throws {
        let down = FakeFinder { (_) throws(IdentityFault) in throw .unavailable(reason: "down") }
        let abroad = FakeFinder { _ in FoundPerson(target: .email(EmailAddress("a@b.example")!)) }
        let unknown = FakeFinder { _ in nil }
        var seen: Set<[String]> = []
        for finder in [down, abroad, unknown] {
            let onboarding = try await OnboardingWorld.live(finder: finder)
            seen.insert(await Self.walk(OnboardingWorld.known, onboarding))
            #expect(onboarding.world.gateway.sent.isEmpty)
        }
        #expect(seen.count == 1)
    }

    @Test func `is not told apart by what limits and carriers say of a known one`() async throws {
        var walks: [[String]] = []
        for isRefused in [false, true] {
            let onboarding = try await OnboardingWorld.live { $0.sendsPerDay = 3 }
            if isRefused { onboarding.world.gateway.refuse(true) }
            walks.append(await Self.walk(OnboardingWorld.known, onboarding))
            #expect(onboarding.world.gateway.sent.count == (isRefused ? 0 : 3))
        }
        walks.append(await Self.walk(OnboardingWorld.unknown, try await OnboardingWorld.live { $0.sendsPerDay = 3 }))
        #expect(walks[0] == walks[1] && walks[0] == walks[2])
    }

    @Test func `counts starts of an address, whoever is meant`() async throws {
        let onboarding = try await OnboardingWorld.live { $0.startsPerAddressPerTenMinutes = 3 }
        for index in 1...3 {
            #expect(await onboarding.start(#"{"clientNumber":"\#(index)"}"#).status == 200)
        }
        let refused = await onboarding.start(OnboardingWorld.known)
        #expect(refused.status == 429 && refused.failure == "TOO_MANY_REQUESTS" && refused.header("Retry-After") != nil)
        #expect(await onboarding.start(OnboardingWorld.known, from: "198.51.100.2").status == 200)
    }

    @Test func `has starts in each network that no other one uses up`() async throws {
        let onboarding = try await OnboardingWorld.live()
        for address in ["198.51.100.1", "203.0.113.1"] {
            for _ in 1...5 {
                let started = await onboarding.start(from: address)
                #expect(started.status == 200)
                _ = await onboarding.call("/cleanup", started.processID)
            }
            // A neighbour is in the same network.
            let refused = await onboarding.start(from: address == "198.51.100.1" ? "198.51.100.9" : address)
            #expect(refused.status == 429 && refused.failure == "TOO_MANY_ONBOARDING_PROCESSES")
        }
        #expect(onboarding.world.hits.withLock { $0.contains(.startsPerPerson) })
    }

    @Test func `is no person of another API client's`() async throws {
        let keyed = try await World().engine.crypto.keyed
        let said = try #require(Identification([.init("a", "1")]))
        let clients = try ["sandbox", "sandbox-2"].map { try #require(ClientID($0)) }
        #expect(keyed.identification(said, clients[0]) != keyed.identification(said, clients[1]))
    }
}
