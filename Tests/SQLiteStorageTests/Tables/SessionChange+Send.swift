@testable import Possession

extension SessionChange {
    /// Counts a message to `number`, as a send does where limits hold.
    mutating func countSend(to number: PhoneNumber) {
        tallies.count(
            [LimitKey(.sendsToNumber, number, of: session.clientID)], by: Limits.OverSessions(), at: Fixture.now)
    }
}
