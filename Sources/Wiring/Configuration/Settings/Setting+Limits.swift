internal import BuiltInFiles
internal import Possession
internal import Text

extension Setting {
    private static let rules = Limits()
    private static let over = Limits.OverSessions()

    /// Limits on calls (docs/configuration/limits.md).
    static let ofCallers: [Setting] = [
        Setting(
            "limits.requestsPerSecond", \.limits.requestsPerSecond, .integer(0...1_000_000),
            default: .byMode(live: 25, sandbox: 0),
            "requests a second of one API client, its apps and links; 0: no limit"),
        Setting(
            "limits.auditedCallsPerMinute", \.limits.auditedCallsPerMinute, .integer(0...1_000_000),
            default: .value(10), "calls a minute of one API client that the audit log keeps; 0: no limit"),
        Setting(
            "limits.callsPerAddressPerSecond", \.limits.callsPerAddressPerSecond, .integer(0...100_000),
            default: .value(50),
            "app, client and link calls a second from one address, four times as many at once (IPv6: /64; a /48 five times as many); 0: no limit"
        ),
        Setting(
            "limits.enforceInSandbox", \.limits.enforceInSandbox, .flag, default: .value(false),
            "enforces limits over sessions in sandbox mode"
        ).printed(if: { $0.mode == .sandbox }),
    ]

    /// Limits on sessions, and limits over sessions.
    static let ofSessions: [Setting] = [
        Setting(
            "limits.sendsPerSession", \.limits.sendsPerSession, .integer(1...10),
            default: .value(rules.sendsPerSession), "messages of one session"),
        Setting(
            "limits.numberEntriesPerSession", \.limits.numberEntriesPerSession, .integer(1...10),
            default: .value(rules.numberEntriesPerSession), "numbers of one session, if the API client allows a change"),
        Setting(
            "limits.otpAttemptsWithRetry", \.limits.otpAttemptsWithRetry, .integer(1...10),
            default: .value(rules.otpAttemptsWithRetry), "code entries of a session with allowOTPRetry"),
        Setting(
            "limits.sendsPerNumberPerQuarterHour", \.limits.overSessions.sendsPerQuarterHour, .integer(1...1_000),
            default: .value(over.sendsPerQuarterHour), "messages to one number in 15 minutes"),
        Setting(
            "limits.sendsPerNumberPerDay", \.limits.overSessions.sendsPerDay, .integer(1...1_000),
            default: .value(over.sendsPerDay), "messages to one number in 24 hours"),
        Setting(
            "limits.secondsBetweenSends", \.limits.overSessions.secondsBetweenSends, .integer(0...900),
            default: .byMode(live: over.secondsBetweenSends, sandbox: 0),
            "shortest time between two messages to one number; from the third message in 15 minutes on it doubles; 0 in sandbox only"
        ),
        Setting(
            "limits.unansweredPerAddress", \.limits.unanswered.address, .integer(0...100_000),
            default: .value(Int(over.sizes.address.start)),
            "unanswered messages of one end user's address (IPv6: /64), see limits.md; 0: no limit"),
        Setting(
            "limits.unansweredPerNetwork", \.limits.unanswered.network, .integer(0...100_000),
            default: .value(Int(over.sizes.network.start)),
            "the same of a /24 (IPv6: a /48; ten times as many for a /32); 0: no limit"),
        Setting(
            "limits.unansweredPerPrefix", \.limits.unanswered.prefix, .integer(0...100_000),
            default: .value(Int(over.sizes.prefix.start)),
            "the same to numbers that share all but their last 4 digits; 0: no limit"),
        Setting(
            "limits.unansweredPerCountry", \.limits.unanswered.country, .integer(0...1_000_000),
            default: .value(Int(over.sizes.country.start)), "the same to a country; 0: no limit"),
        Setting(
            "limits.knownNetworks", \.limits.overSessions.knownNetworks, .addressRanges,
            default: .value(AddressRanges()),
            "addresses and ranges (192.0.2.0/24) from which calls for messages are trusted, such as those of an office"
        ),
        Setting(
            "limits.lineTypes", \.limits.lineTypes, .lineTypes, default: .unset("all of them"),
            "lines that messages may go to, by the numbering plan: \(NumberKind.reachable.map(\.rawValue).joined(separator: ", ")); an API client may have its own"
        ),
        Setting(
            "limits.startsPerAddressPerTenMinutes", \.limits.overSessions.startsPerAddressPerTenMinutes,
            .integer(0...200), default: .value(over.startsPerAddressPerTenMinutes),
            "calls of /initialize from one address in 10 minutes (IPv6: /64; a /48 five times as many); 0: no limit"),
        Setting(
            "limits.startsPerPersonPerDay", \.limits.overSessions.startsPerPersonPerDay, .integer(0...200),
            default: .value(over.startsPerPersonPerDay),
            "onboarding processes of one network with the same credentials in 24 hours; 0: no limit"),
        Setting(
            "limits.wrongCodesPerNumberPerHour", \.limits.overSessions.wrongCodesPerHour, .integer(1...1_000),
            default: .value(over.wrongCodesPerHour), "wrong codes for one number in an hour"),
        Setting(
            "limits.wrongCodesPerNumberPerDay", \.limits.overSessions.wrongCodesPerDay, .integer(1...1_000),
            default: .value(over.wrongCodesPerDay), "wrong codes for one number in 24 hours"),
        Setting(
            "limits.failedClaimsPerHour", \.limits.overSessions.failedClaimsPerHour, .integer(1...1_000),
            default: .value(over.failedClaimsPerHour),
            "wrong birth dates, SSNs and names in an hour, for one number or with one device key"),
        Setting(
            "limits.failedClaimsPerDay", \.limits.overSessions.failedClaimsPerDay, .integer(1...1_000),
            default: .value(over.failedClaimsPerDay), "the same in 24 hours"),
        Setting(
            "limits.failuresInARow", \.limits.overSessions.failuresInARow, .integer(2...100),
            default: .value(over.failuresInARow),
            "failures of a check in a row for one number that close it, until another check passes or holdfast numbers unlock"
        ),
    ].map { $0.reloaded(.inSameMode) }

    /// How long sessions are kept.
    static let ofRetention: [Setting] = [
        Setting(
            "limits.retentionSeconds", \.limits.retentionSeconds, .integer(0...7_776_000),
            default: .value(Int(rules.retention.components.seconds)),
            "how long sessions are kept from their start, at least while results can be read")
    ]

    /// The sandbox (docs/configuration/sandbox.md).
    static let ofSandbox: [Setting] = [
        Setting(
            "sandbox.usersFile", in: \.sandbox, \.usersFile, .path,
            default: .value(BuiltInPath.sandboxUsers, "that of the program"), "file of the sandbox users"
        ).reloaded(.always),
        Setting(
            "sandbox.unknownNumbers", in: \.sandbox, \.unknownNumbers, .choice(.refuse, .simulate),
            default: .value(.refuse), "numbers of no sandbox user; refuse: 400; simulate: a random code in the inbox"),
        Setting(
            "sandbox.flowByOrigin", in: \.sandbox, \.flowByOrigin, .flag, default: .value(true),
            "whether a page without cookie and flow token gets the newest run of its origin and address"),
        Setting(
            "sandbox.clients", read: Configuration.readSandboxClients, printed: { $0.sandbox?.printedClients },
            "API clients made at start: {\"ID\": {\"secret\": \"...\"}}"),
    ]
}
