/// Messages that a session may still cause and numbers that it may still name. Codes, links, resends and changes of the
/// number share it (OTP-07).
package struct SendBudget: Sendable, Equatable {
    package private(set) var sendsLeft: Int
    /// The first number is counted when it is used.
    package private(set) var entriesLeft: Int

    package init(sendsLeft: Int, entriesLeft: Int) {
        self.sendsLeft = sendsLeft
        self.entriesLeft = entriesLeft
    }

    /// - Precondition: a send is left, and an entry when `newNumber`.
    mutating func spend(newNumber: Bool) {
        precondition(sendsLeft > 0 && (!newNumber || entriesLeft > 0), "a send past its limit")
        sendsLeft -= 1
        if newNumber { entriesLeft -= 1 }
    }

    /// Takes back a message that was not sent.
    mutating func giveBack(newNumber: Bool) {
        sendsLeft += 1
        if newNumber { entriesLeft += 1 }
    }
}
