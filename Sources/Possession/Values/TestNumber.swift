/// A phone number of the real world that messages are never sent to: one code passes for it, until an end.
///
/// An App Store reviewer and a test of a live server log in with it.
package struct TestNumber: Sendable, Equatable {
    /// Each one is a way in that needs no phone, so there are few.
    package static let most = 20
    package static let mostDays = 90

    package let number: PhoneNumber
    /// All of it passes, and no part of it, whatever length the codes of a session have.
    package let code: OTP
    /// The one tenant that has it; `nil`: all have.
    package let tenant: ClientID?
    package let createdAt: Timestamp
    /// From here on the number is like any other.
    package let endsAt: Timestamp

    package init(number: PhoneNumber, code: OTP, tenant: ClientID?, createdAt: Timestamp, endsAt: Timestamp) {
        self.number = number
        self.code = code
        self.tenant = tenant
        self.createdAt = createdAt
        self.endsAt = endsAt
    }
}

/// Use of a test number.
package enum TestNumberUse: String, Sendable, CaseIterable {
    /// A session asked for a code, and none was sent.
    case asked
    /// Its code has passed.
    case passed
}

extension KeyedDigests {
    /// The digest that a session awaits of a test number's code. It is another one than that of the same code for the
    /// same number once sent for real, so that the fixed code passes only while the number is a test number.
    func testOTP(_ code: OTP, _ session: AuthID) -> OTPDigest { otp(code, session, .number(.ofTestCodes)) }
}

extension [TestNumber] {
    /// The entry of a number that counts for a tenant, while it does.
    package func first(of number: PhoneNumber, by tenant: ClientID, at now: Timestamp) -> TestNumber? {
        first { entry in
            entry.number == number && now < entry.endsAt && (entry.tenant == nil || entry.tenant == tenant)
        }
    }
}

extension Engine {
    /// The test number of a tenant, while it is one. No address is one.
    func testNumber(_ target: Target, of tenant: ClientID, at now: Timestamp) -> TestNumber? {
        target.number.flatMap { testNumber($0, of: tenant, at: now) }
    }

    func testNumber(_ number: PhoneNumber, of tenant: ClientID, at now: Timestamp) -> TestNumber? {
        testNumbers().first(of: number, by: tenant, at: now)
    }
}
