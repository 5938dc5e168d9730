@testable import Possession
import Testing

@Suite struct OTPCheckTests {
    private let right = OTPDigest([UInt8](repeating: 1, count: 32))
    private let wrong = OTPDigest([UInt8](repeating: 2, count: 32))

    private func waiting(attempts: Int = 3) -> OTPCheck {
        var check = OTPCheck(codeLength: 4, attemptsLeft: attempts)
        check.sent(right, at: Fixture.start, lifetime: .seconds(120))
        return check
    }

    @Test(arguments: [(0, OTPCheck.Outcome.passed), (119, .passed), (120, .expired), (121, .expired)])
    func `takes a code for 120 seconds, the end not included`(age: Int, expected: OTPCheck.Outcome) {
        var check = waiting()
        #expect(check.submit(right, isLast: false, at: Fixture.start.adding(.seconds(age))) == expected)
    }

    @Test func `charges no try for a late code`() {
        var check = waiting()
        _ = check.submit(wrong, isLast: false, at: Fixture.start.adding(.seconds(121)))
        #expect(check.attemptsLeft == 3)
    }

    @Test(arguments: [1, 3])
    func `fails after the last wrong code, and takes no right one then`(attempts: Int) {
        var check = waiting(attempts: attempts)
        for _ in 0..<attempts { #expect(check.submit(wrong, isLast: false, at: Fixture.start) == .mismatch) }
        #expect(check.state == .failed)
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .done)
    }

    @Test func `passes once`() {
        var check = waiting()
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .passed)
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .done)
    }

    @Test func `voids the old code when another is sent, and gives no try back`() {
        var check = waiting()
        _ = check.submit(wrong, isLast: false, at: Fixture.start)
        let next = OTPDigest([UInt8](repeating: 3, count: 32))
        check.sent(next, at: Fixture.start, lifetime: .seconds(120))
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .mismatch)
        #expect(check.attemptsLeft == 1)
        #expect(check.submit(next, isLast: false, at: Fixture.start) == .passed)
    }

    @Test func `fails on a late code only when no send is left`() {
        var check = waiting()
        #expect(check.submit(right, isLast: false, at: Fixture.start.adding(.seconds(120))) == .expired)
        #expect(check.expiresAt != nil)
        #expect(check.submit(right, isLast: true, at: Fixture.start.adding(.seconds(120))) == .expired)
        #expect(check.state == .failed)
    }

    /// OTP-03, DUR-13.
    @Test func `stays late once it was told so, whatever the clock says then`() {
        var check = waiting()
        let end = check.expiresAt
        #expect(check.submit(right, isLast: false, at: Fixture.start.adding(.seconds(120))) == .expired)
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .expired)
        #expect(check.expiresAt == end && check.attemptsLeft == 3)
        check.sent(right, at: Fixture.start, lifetime: .seconds(120))
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .passed)
    }

    @Test func `forgets the awaited digest when it closes`() {
        var check = waiting()
        check.close()
        #expect(check.state == .failed)
    }

    @Test func `waits for nothing before the first send`() {
        var check = OTPCheck(codeLength: 4, attemptsLeft: 1)
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .notWaiting)
    }
}
