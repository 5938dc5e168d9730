internal import ArgumentParser
internal import Possession
internal import StrictJSON

/// The rules of an API client as options of a command. Options that are not given are not in `members`.
struct ClientRuleOptions: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Mobile Auth belongs to its sessions unless a call says otherwise.")
    var mobileAuth: Bool?
    @Flag(inversion: .prefixedNo, help: "Its users may change the number during a session.")
    var allowPhoneChange: Bool?
    @Option(name: .long, help: "A host that finalTargetUrl may name; *.example.com for all below. Repeatable.")
    var finalTargetHost: [String] = []
    @Option(
        name: .long,
        help: "An origin that may call the client surface, also a web view's: capacitor://localhost. Repeatable.")
    var allowedOrigin: [String] = []
    @Option(name: .long, help: "An Android app hash for the last line of messages. Repeatable.")
    var appHash: [String] = []
    @Option(name: .long, help: "What people are told who asks, on the page of an instant link.")
    var displayName: String?
    @Option(name: .long, help: "The host of the page a code is typed into: the last line of its messages.")
    var messageHost: String?
    @Option(name: .long, help: "The language of messages to people who say none, such as de or pt-BR.")
    var locale: String?
    @Flag(inversion: .prefixedNo, help: "Instant links ask for the two digits that the waiting page shows. On in live.")
    var linkMatchCode: Bool?
    @Flag(
        inversion: .prefixedNo,
        help: "Instant links must be approved from the ipAddress that its calls name, where they do. On in live.")
    var linkNeedsSameAddress: Bool?
    @Option(
        name: .long,
        help: """
            A country that messages may go to: a calling code such as 44, or a region such as US or CA (1 is all of North \
            America). A region opens its own numbers alone: GB leaves out Guernsey (GG), Jersey (JE) and the Isle of Man (IM), \
            which 44 has too. In live none is open by itself, in sandbox all are. Repeatable.
            """)
    var callingCode: [String] = []
    @Option(
        name: .long, help: "A page, https://..., that Mobile Auth of a web session may come back to. Repeatable.")
    var mobileAuthReturnUrl: [String] = []
    @Option(
        name: .long,
        help:
            "A public key on P-256, as JWK, that it signs client assertions with (private_key_jwt). Repeatable, at most 4."
    )
    var publicKey: [String] = []

    @Option(
        name: .long,
        help: """
            A third party that signed statements may be for, as its aud, such as https://partner.example; without one, \
            any party that is not this server or an operator. Repeatable.
            """)
    var statementAudience: [String] = []
    @Option(
        name: .long,
        help: "Digits that a code in live has at least, 4 to 6, where its calls ask for fewer than otp.codeLength.")
    var leastCodeDigits: Int?

    @Option(
        name: .long,
        help: """
            A channel of the order in which codes of OTPLESS's app SDK are sent: \
            \(OutgoingMessage.Channel.ofNumbers.map(\.rawValue).joined(separator: ", ")). Without one, apps get none. \
            Repeatable.
            """)
    var smartChannel: [String] = []
    @Option(
        name: .long, help: "Seconds until the next of them gets a code without a report of its arrival, 5 to 600; 20.")
    var secondsPerChannel: Int?

    @Option(name: .long, help: "Requests a second, in the place of limits.requestsPerSecond; 0: any number.")
    var requestsPerSecond: Int?
    @Option(
        name: .long,
        help: """
            What its messages may cost in 24 hours, or without prices how many there may be, in the place of \
            guard.budgetPerClientPerDay; 0: as much as guard.budgetPerDay allows.
            """)
    var budgetPerDay: Int?
    @Option(name: .long, help: "Its messages that may go unanswered, in the place of limits.unansweredPerNetwork.")
    var unansweredPerNetwork: Int?
    @Option(name: .long, help: "The same, in the place of limits.unansweredPerPrefix.")
    var unansweredPerPrefix: Int?
    @Option(name: .long, help: "The same, in the place of limits.unansweredPerCountry.")
    var unansweredPerCountry: Int?
    @Option(
        name: .long,
        help: """
            A kind of line that its messages may go to, in the place of limits.lineTypes: \
            \(NumberKind.reachable.map(\.rawValue).joined(separator: ", ")). Repeatable.
            """)
    var lineType: [String] = []

    /// The option of each member.
    private static let names = [
        "finalTargetHosts": "final-target-host", "allowedOrigins": "allowed-origin", "appHashes": "app-hash",
        "displayName": "display-name", "messageHost": "message-host", "locale": "locale",
        "callingCodes": "calling-code",
        "mobileAuthReturnUrls": "mobile-auth-return-url", "publicKeys": "public-key",
        "statementAudiences": "statement-audience", "leastCodeDigits": "least-code-digits",
        "requestsPerSecond": "requests-per-second", "budgetPerDay": "budget-per-day",
        "unansweredPerNetwork": "unanswered-per-network", "unansweredPerPrefix": "unanswered-per-prefix",
        "unansweredPerCountry": "unanswered-per-country", "lineTypes": "line-type",
        "smartChannels": "smart-channel", "secondsPerChannel": "seconds-per-channel",
    ]

    var members: JSONObject {
        var object = JSONObject()
        object.set("mobileAuth", mobileAuth)
        object.set("allowPhoneChange", allowPhoneChange)
        object.set("linkMatchCode", linkMatchCode)
        object.set("linkNeedsSameAddress", linkNeedsSameAddress)
        object.set("displayName", displayName)
        object.set("messageHost", messageHost)
        object.set("locale", locale)
        object.set("leastCodeDigits", leastCodeDigits)
        object.set("secondsPerChannel", secondsPerChannel)
        object.set("requestsPerSecond", requestsPerSecond)
        object.set("budgetPerDay", budgetPerDay)
        object.set("unansweredPerNetwork", unansweredPerNetwork)
        object.set("unansweredPerPrefix", unansweredPerPrefix)
        object.set("unansweredPerCountry", unansweredPerCountry)
        for (name, entries) in [
            ("finalTargetHosts", finalTargetHost), ("allowedOrigins", allowedOrigin), ("appHashes", appHash),
            ("callingCodes", callingCode), ("mobileAuthReturnUrls", mobileAuthReturnUrl),
            ("statementAudiences", statementAudience), ("lineTypes", lineType), ("smartChannels", smartChannel),
        ] where !entries.isEmpty {
            object.set(name, entries)
        }
        if !publicKey.isEmpty {
            // The server refuses a text that is not JSON, together with all other errors.
            let keys = publicKey.map { (try? JSONValue.parse(Array($0.utf8))) ?? .string($0) }
            object["publicKeys"] = .array(keys)
        }
        return object
    }

    /// The members that `--clear` may name, by the names of their options.
    static var clearable: [String] { names.values.sorted() }

    /// - Returns: the JSON name of the member that an option sets; `nil`: there is no such option.
    static func member(ofOption option: String) -> String? {
        names.first { $0.value.utf8.elementsEqual(option.utf8) }?.key
    }

    func validate() throws {
        var rules = TenantRules()
        do throws(TenantMemberFault) { try TenantMember.apply(members, to: &rules) } catch {
            throw ValidationError("--\(Self.names[error.name] ?? error.name) \(error.reason)")
        }
    }

    /// Warns of a name that makes an SMS need more parts.
    func warnOfName() {
        guard let displayName, let warning = CatalogCheck.warning(ofName: displayName) else { return }
        printError("warning: --display-name: \(warning)")
    }
}
