/// Bytes from a cryptographically secure generator. A failing generator fails the request, never weakens it (OTP-17).
package typealias RandomBytes = @Sendable (_ count: Int) throws(EntropyFault) -> [UInt8]

/// The random generator refused.
package struct EntropyFault: Error, Sendable, CustomStringConvertible {
    package init() {}
    package var description: String { "the random generator refused" }
}
