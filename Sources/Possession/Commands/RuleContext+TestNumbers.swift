extension KeyedDigests {
    /// The digest of a test number's code. It differs from the digest of the same code when really sent to the number,
    /// so that the fixed code passes only while the number is a test number.
    package func testOTP(_ code: OTP, _ session: AuthID) -> OTPDigest { otp(code, session, .number(.ofTestCodes)) }
}

extension RuleContext.Server {
    /// The tenant's test number for a target, until it ends. An address is never one.
    package func testNumber(_ target: Target, of tenant: ClientID, at now: Timestamp) -> TestNumber? {
        target.number.flatMap { testNumber($0, of: tenant, at: now) }
    }

    package func testNumber(_ number: PhoneNumber, of tenant: ClientID, at now: Timestamp) -> TestNumber? {
        testNumbers().first(of: number, by: tenant, at: now)
    }
}
