import Possession
import Testing

@testable import Tokens

@Suite struct ReplayGuardTests {
    private let start = Timestamp(seconds: 1_767_261_600)
    private let application: [UInt8] = [1]

    private func identity(_ number: Int) -> [UInt8] { UInt64(number).bigEndianBytes }

    private func admits(
        _ guarding: ReplayGuard, _ number: Int, sent: Duration = .zero, at age: Duration = .zero,
        of application: [UInt8]? = nil
    ) -> Bool {
        guarding.admit(
            identity(number), timestamp: start.adding(sent).milliseconds, of: application ?? self.application,
            at: start.adding(age))
    }

    @Test func `remembers an envelope as long as it is fresh`() {
        let guarding = ReplayGuard(startedAt: start)
        #expect(admits(guarding, 1, sent: .seconds(60)))
        for age in [0, 60, 119, 120] {
            #expect(!admits(guarding, 1, sent: .seconds(60), at: .seconds(age)), "after \(age) s")
        }
        #expect(guarding.count == 1)
        #expect(admits(guarding, 2, sent: .seconds(121), at: .seconds(121)))
        #expect(guarding.count == 1, "the first one is forgotten")
        #expect(!admits(guarding, 1, sent: .seconds(60), at: .seconds(121)), "and not fresh")
    }

    @Test func `refuses what it may have forgotten, when the clock is set back`() {
        let guarding = ReplayGuard(startedAt: start)
        #expect(admits(guarding, 1, sent: .seconds(10), at: .seconds(10)))
        #expect(admits(guarding, 2, sent: .seconds(200), at: .seconds(200)))
        #expect(guarding.count == 1)
        #expect(!admits(guarding, 1, sent: .seconds(10), at: .seconds(10)))
        #expect(admits(guarding, 3, sent: .seconds(150), at: .seconds(150)), "a second that is remembered")
    }

    @Test func `bounds its memory for each application, and lets a flood of one shut out no other`() {
        let guarding = ReplayGuard(startedAt: start, mostPerApplication: 100)
        let admitted = (0..<300).count { admits(guarding, $0, sent: .seconds($0 % 60)) }
        #expect(admitted == 100 && guarding.count == 100)
        #expect(!admits(guarding, 0), "what came before stays refused")
        #expect(admits(guarding, 0, of: [2]), "of another application")
        #expect(admits(guarding, 1000, sent: .seconds(150), at: .seconds(150)), "after the flood")
        #expect(guarding.count == 1)
    }

    @Test func `keeps two applications apart`() {
        let guarding = ReplayGuard(startedAt: start)
        #expect(admits(guarding, 1, of: [1]) && admits(guarding, 1, of: [2]))
        #expect(!admits(guarding, 1, of: [1]) && !admits(guarding, 1, of: [2]))
    }

    @Test func `takes an envelope again that it has to forget, and no other`() {
        let guarding = ReplayGuard(startedAt: start)
        let timestamp = start.milliseconds
        #expect(admits(guarding, 1) && admits(guarding, 2) && admits(guarding, 1, of: [2]))
        guarding.forget(identity(1), timestamp: timestamp, of: application)
        #expect(guarding.count == 2)
        #expect(!admits(guarding, 2) && !admits(guarding, 1, of: [2]))
        #expect(admits(guarding, 1) && !admits(guarding, 1))
        guarding.forget(identity(3), timestamp: timestamp, of: [3])
        #expect(admits(guarding, 4, sent: .seconds(150), at: .seconds(150)))
        guarding.forget(identity(1), timestamp: timestamp, of: application)
        #expect(!admits(guarding, 1, at: .seconds(150)), "its second is forgotten")
    }

    @Test func `lets one of sixteen racing replays pass`() async {
        let guarding = ReplayGuard(startedAt: start)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { admits(guarding, 1) } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(passed == 1)
    }
}
