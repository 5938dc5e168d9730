/// Keyed digests and random values, as closures so that tests can fix them.
package struct Keyed: Sendable {
    /// Of a code, for one session and number; HMAC-SHA-256 with the OTP key.
    package let otp: @Sendable (_ code: OTP, _ session: AuthID, _ number: PhoneNumber) -> OTPDigest
    /// Of a client secret.
    package let secret: @Sendable (_ secret: String, _ client: ClientID) -> SecretDigest
    /// Of a request body.
    package let body: @Sendable (_ body: [UInt8]) -> BodyDigest

    package init(
        otp: @escaping @Sendable (OTP, AuthID, PhoneNumber) -> OTPDigest,
        secret: @escaping @Sendable (String, ClientID) -> SecretDigest,
        body: @escaping @Sendable ([UInt8]) -> BodyDigest
    ) {
        self.otp = otp
        self.secret = secret
        self.body = body
    }
}

/// Bytes from a cryptographically secure generator. A failing generator fails the request, never weakens it (OTP-17).
package typealias RandomBytes = @Sendable (_ count: Int) throws(EntropyFault) -> [UInt8]

/// The random generator refused.
package struct EntropyFault: Error, Sendable {
    package init() {}
}

/// The wall clock, or the sandbox clock.
package typealias Now = @Sendable () -> Timestamp
