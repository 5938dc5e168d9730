/// A real phone number that never gets messages. One fixed code passes for it, until an end time.
///
/// App Store reviewers and tests of a live server log in with it.
package struct TestNumber: Sendable, Equatable {
    /// Maximum test numbers. Each one allows a login without a phone, so there are few.
    package static let most = 20
    package static let mostDays = 90

    package let number: PhoneNumber
    /// Only the whole code passes, whatever the length of the session's codes.
    package let code: OTP
    /// The only tenant that may use it; `nil`: all tenants.
    package let tenant: ClientID?
    package let createdAt: Timestamp
    /// From this time on the number is like any other.
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
    /// A session requested a code, and none was sent.
    case asked
    /// Its code has passed.
    case passed
}

extension [TestNumber] {
    /// The entry of a number for a tenant, until the entry ends.
    package func first(of number: PhoneNumber, by tenant: ClientID, at now: Timestamp) -> TestNumber? {
        first { entry in
            entry.number == number && now < entry.endsAt && (entry.tenant == nil || entry.tenant == tenant)
        }
    }
}
