@testable import Possession
import Testing

@Suite struct OTPCheckTests {
    private let right = OTPDigest([UInt8](repeating: 1, count: 32))
    private let wrong = OTPDigest([UInt8](repeating: 2, count: 32))

    private static func policy(
        tries: Int = 3, _ tryCount: Policy.TryCount = .session, earlier: Int = 0
    ) -> Policy.Code {
        try! Policy.Code(length: 4, lifetimeSeconds: 120, tries: tries, tryCount: tryCount, earlierCodes: earlier)
    }

    private static func digest(_ byte: UInt8) -> OTPDigest { OTPDigest([UInt8](repeating: byte, count: 32)) }

    private func waiting(attempts: Int = 3) -> OTPCheck {
        var check = OTPCheck(codeLength: 4, attemptsLeft: attempts)
        check.sent(right, at: Fixture.start, by: Self.policy())
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
        check.sent(next, at: Fixture.start, by: Self.policy())
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
        check.sent(right, at: Fixture.start, by: Self.policy())
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .passed)
    }

    @Test func `forgets the awaited digest when it closes`() {
        var check = waiting()
        check.close()
        #expect(check.state == .failed)
    }

    /// Codes 1 to 4, sent ten seconds apart; the newest and so many before it are taken.
    @Test(arguments: 0...3) func `takes as many earlier codes as the policy keeps`(kept: Int) {
        for number in UInt8(1)...4 {
            var check = OTPCheck(codeLength: 4, attemptsLeft: 3)
            for sent in UInt8(1)...4 {
                check.sent(
                    Self.digest(sent), at: Fixture.start.adding(.seconds(10 * Int(sent))),
                    by: Self.policy(earlier: kept))
            }
            let outcome = check.submit(Self.digest(number), isLast: false, at: Fixture.start.adding(.seconds(60)))
            #expect(outcome == (4 - Int(number) <= kept ? .passed : .mismatch))
        }
    }

    @Test(arguments: [(119, OTPCheck.Outcome.passed), (120, .mismatch)])
    func `takes an earlier code in its own lifetime`(age: Int, expected: OTPCheck.Outcome) {
        var check = waiting()
        check.sent(Self.digest(3), at: Fixture.start.adding(.seconds(60)), by: Self.policy(earlier: 1))
        #expect(check.submit(right, isLast: false, at: Fixture.start.adding(.seconds(age))) == expected)
    }

    @Test func `forgets earlier codes when it closes`() {
        var check = waiting()
        check.sent(Self.digest(3), at: Fixture.start, by: Self.policy(earlier: 9))
        #expect(check.earlier.count == 1)
        check.close()
        #expect(check.earlier.isEmpty)
    }

    @Test func `gives each code its own tries where the policy says so`() {
        var check = waiting(attempts: 2)
        #expect(check.submit(wrong, isLast: false, at: Fixture.start) == .mismatch)
        check.sent(Self.digest(3), at: Fixture.start, by: Self.policy(tries: 2, .code))
        #expect(check.attemptsLeft == 2)
        check.sent(Self.digest(4), at: Fixture.start, by: Self.policy(tries: 2))
        #expect(check.submit(wrong, isLast: false, at: Fixture.start) == .mismatch && check.attemptsLeft == 1)
    }

    @Test func `is as before a code that was not sent`() {
        let before = waiting()
        var check = before
        check.sent(Self.digest(3), at: Fixture.start, by: Self.policy(tries: 5, .code, earlier: 2))
        check.takeBack(to: before.state, tries: before.attemptsLeft)
        #expect(check == before)
    }

    @Test func `waits for nothing before the first send`() {
        var check = OTPCheck(codeLength: 4, attemptsLeft: 1)
        #expect(check.submit(right, isLast: false, at: Fixture.start) == .notWaiting)
    }
}
