/// All that a rule uses beside the session, the command, the caller and the time. Nothing in it waits, reads a clock or stores
/// anything, so a command that is run again on the same session does the same.
package struct RuleContext: Sendable {
    /// Limits and capabilities, with the standing of the number that this call may prove.
    package let rules: Rules
    /// The same for all calls.
    package let server: Server

    package init(_ rules: Rules, _ server: Server) {
        self.rules = rules
        self.server = server
    }

    /// Keys, numbering plan and texts of this server.
    ///
    /// One object, because every rule of a call has it: a copy counts one reference.
    package final class Server: Sendable {
        package let keyed: KeyedDigests
        package let codes: CodeRules
        package let silentCodes: SilentCodes
        /// The country whose limits count a message to the number; `nil`: neither country nor prefix limits count it.
        package let country: @Sendable (PhoneNumber) -> String?
        /// Numbers that get no messages.
        package let testNumbers: @Sendable () -> [TestNumber]
        /// Prefixes of numbers that get no messages for a time.
        package let closedPrefixes: @Sendable () -> [ClosedPrefix]
        /// Whether the source had too many refusals this hour, so that it must not learn which numbers the tenant knows.
        package let isThrottled: @Sendable (MessageSource, ClientID, Timestamp) -> Bool
        /// The current texts of messages.
        package let texts: @Sendable () -> MessageTexts
        /// The host of an origin-bound last line in code messages (client protocol 3.6); `nil`: no such line.
        package let messageOrigin: String?
        /// Start of the links in messages, before `/l/`.
        package let linkURL: String

        package init(
            keyed: KeyedDigests, codes: CodeRules = .random, silentCodes: SilentCodes,
            country: @escaping @Sendable (PhoneNumber) -> String? = { _ in nil },
            testNumbers: @escaping @Sendable () -> [TestNumber] = { [] },
            closedPrefixes: @escaping @Sendable () -> [ClosedPrefix] = { [] },
            isThrottled: @escaping @Sendable (MessageSource, ClientID, Timestamp) -> Bool = { _, _, _ in false },
            texts: @escaping @Sendable () -> MessageTexts = { .english }, messageOrigin: String? = nil, linkURL: String
        ) {
            self.keyed = keyed
            self.codes = codes
            self.silentCodes = silentCodes
            self.country = country
            self.testNumbers = testNumbers
            self.closedPrefixes = closedPrefixes
            self.isThrottled = isThrottled
            self.texts = texts
            self.messageOrigin = messageOrigin
            self.linkURL = linkURL
        }
    }
}

/// Results of Mobile Auth that come back through the device.
package struct SilentCodes: Sendable {
    /// Reads a signed fingerprint; `nil` unless this server made it and it is unchanged.
    package let fingerprint: @Sendable (_ text: String) -> Fingerprint?
    /// Makes the code of a result, with `length` digits.
    package let code: @Sendable (AttemptID, _ result: [UInt8], _ length: Int) -> OTP

    package init(
        fingerprint: @escaping @Sendable (String) -> Fingerprint?,
        code: @escaping @Sendable (AttemptID, [UInt8], Int) -> OTP
    ) {
        self.fingerprint = fingerprint
        self.code = code
    }
}
