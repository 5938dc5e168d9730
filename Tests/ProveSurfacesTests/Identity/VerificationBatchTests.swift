import Locks
import Engine
import Possession
import TestSupport
import Testing

@testable import SurfaceTestSupport

/// How long a batch waits for a slow source of people, and how many it asks at a time.
@Suite(.timeLimit(.minutes(60))) struct VerificationBatchTests {
    private static let person = Person(
        firstName: "Elena", lastName: "Other", dob: nil, ssn: nil, emailAddresses: [], addresses: [])

    private static func orders(_ count: Int) -> [Result<VerificationService.Order, PlatformRefusal>] {
        (0..<count).map { index in
            var order = VerificationService.Order(.record)
            order.phoneNumber = "+1206555\(1000 + index)"
            return .success(order)
        }
    }

    private static func world(
        _ look: @escaping @Sendable (PhoneNumber) async throws(IdentityFault) -> Person?
    ) async throws -> (World, Tenant) {
        var options = World.Options()
        options.users = nil
        options.people = FakePeople(look: look)
        let world = try await World(options)
        return (world, try #require(try await world.store.tenant(ClientID("sandbox")!)))
    }

    @Test func `asks for eight people at a time and no more`() async throws {
        let gate = Gate(width: VerificationService.batchWidth)
        let (world, tenant) = try await Self.world { (_) throws(IdentityFault) in
            await gate.pass()
            return Self.person
        }
        // Ends only when it is cancelled: with fewer at a time nobody passes the gate.
        let service = VerificationService(world.engine, batchEnd: { try? await Task.sleep(for: .seconds(3600)) })
        let results = try await service.verify(all: Self.orders(24), for: tenant)
        #expect(results.count == 24)
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        #expect(gate.most == VerificationService.batchWidth)
    }

    @Test func `gives those whose turn did not come in time their own error, and keeps the rest`() async throws {
        let (asked, hearing) = AsyncStream<Void>.makeStream()
        let slow = PhoneNumber(e164: "+12065551002")
        let (world, tenant) = try await Self.world { (number) throws(IdentityFault) in
            guard number == slow else { return Self.person }
            hearing.yield()
            do { try await Task.sleep(for: .seconds(3600)) } catch {}
            throw .unavailable(reason: "cancelled")
        }
        let isDone = Locked(0)
        let service = VerificationService(
            world.engine,
            batchEnd: {
                for await _ in asked { break }
                isDone.withLock { $0 += 1 }
            })
        let results = try await service.verify(all: Self.orders(3), for: tenant)
        #expect(isDone.withLock { $0 } == 1)
        guard case .failure(.sourceUnavailable) = results[2] else {
            Issue.record("\(results[2])")
            return
        }
        // Whether the quick ones were counted before the time was over is up to the scheduler; each has an outcome.
        #expect(results.count == 3)
    }

    @Test func `ends as a whole when the source fails in time`() async throws {
        let (world, tenant) = try await Self.world { (_) throws(IdentityFault) in throw .unavailable(reason: "down") }
        let service = VerificationService(world.engine, batchEnd: { try? await Task.sleep(for: .seconds(3600)) })
        await #expect(throws: PlatformRefusal.self) { try await service.verify(all: Self.orders(3), for: tenant) }
    }

    /// Lets tasks through in groups of `width`.
    private final class Gate: Sendable {
        private struct State {
            var waiting: [CheckedContinuation<Void, Never>] = []
            var inside = 0
            var most = 0
        }

        private let width: Int
        private let state = Locked(State())

        init(width: Int) { self.width = width }

        var most: Int { state.withLock { $0.most } }

        func pass() async {
            await withCheckedContinuation { continuation in
                let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    state.inside += 1
                    state.most = max(state.most, state.inside)
                    state.waiting.append(continuation)
                    guard state.waiting.count == width else { return [] }
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for waiter in released { waiter.resume() }
            }
            state.withLock { $0.inside -= 1 }
        }
    }
}
