internal import ArgumentParser
internal import Possession
internal import StrictJSON

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds, lists and revokes API clients.",
        discussion: "Works on the running server of the data directory, or on the directory itself when none runs.",
        subcommands: [Add.self, List.self, Revoke.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds an API client and prints its secret, this once.",
            discussion: "The secret is 256 random bits. It is kept as a keyed digest and cannot be shown again.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id: 1 to 64 of A-Z a-z 0-9 . _ -")
        var id: String
        @Flag(name: .long, help: "Mobile Auth belongs to its sessions unless a call says otherwise.")
        var mobileAuth = false
        @Flag(name: .long, help: "Its users may change the number during a session.")
        var allowPhoneChange = false
        @Option(name: .long, help: "A host that finalTargetUrl may name; *.example.com for all below. Repeatable.")
        var finalTargetHost: [String] = []
        @Option(name: .long, help: "A web origin that may call the client surface. Repeatable.")
        var allowedOrigin: [String] = []
        @Option(name: .long, help: "An Android app hash for the last line of messages. Repeatable.")
        var appHash: [String] = []

        @Option(name: .long, help: "What people are told who asks, on the page of an instant link.")
        var displayName: String?
        @Option(name: .long, help: "The host of the page a code is typed into: the last line of its messages.")
        var messageHost: String?
        @Flag(name: .long, help: "Instant links ask for the two digits that the waiting page shows.")
        var linkMatchCode = false
        @Flag(name: .long, help: "Instant links must be approved from the ipAddress that its calls name.")
        var linkNeedsSameAddress = false

        @Option(
            name: .long,
            help:
                "A country calling code, such as 44, that messages may go to; 1 is all of North America. None: any. Repeatable."
        )
        var callingCode: [String] = []

        @Option(
            name: .long, help: "A page, https://..., that Mobile Auth of a web session may come back to. Repeatable.")
        var mobileAuthReturnUrl: [String] = []

        func validate() throws {
            let isCode = { (code: String) in
                (1...3).contains(code.utf8.count) && code.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
                    && code.utf8.first != 48
            }
            guard callingCode.allSatisfy(isCode) else {
                throw ValidationError("--calling-code must be 1 to 3 digits, such as 44")
            }
            guard finalTargetHost.allSatisfy(Self.isHost) else {
                throw ValidationError("--final-target-host must be a host such as app.example.com or *.example.com")
            }
            guard allowedOrigin.allSatisfy({ PublicURL.canonical($0) == $0 && PublicURL.isConfidential($0) }) else {
                throw ValidationError("--allowed-origin must be https:// and a host in lower case, or http on loopback")
            }
            let isPage = { (text: String) in text.hasPrefix("https://") && (try? FinalTargetURL(text)) != nil }
            guard mobileAuthReturnUrl.allSatisfy(isPage) else {
                throw ValidationError("--mobile-auth-return-url must be an https URL of at most 128 plain characters")
            }
            if let displayName, !(1...64).contains(displayName.utf8.count) {
                throw ValidationError("--display-name must have 1 to 64 bytes")
            }
            if let messageHost, PublicURL.domain("https://" + messageHost) != messageHost {
                throw ValidationError("--message-host must be a host name such as app.example.com")
            }
        }

        /// Exact, or all below one that is more than a country's ending.
        private static func isHost(_ text: String) -> Bool {
            let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            return PublicURL.domain("https://" + name) == name
        }

        func run() async throws {
            guard let id = ClientID(id) else { throw ValidationError("the id must be 1 to 64 of A-Z a-z 0-9 . _ -") }
            let rules = TenantRules(
                allowPhoneChange: allowPhoneChange, mobileAuth: mobileAuth, finalTargetHosts: finalTargetHost,
                displayName: displayName, messageHost: messageHost, linkMatchCode: linkMatchCode,
                linkNeedsSameAddress: linkNeedsSameAddress, callingCodes: callingCode,
                mobileAuthReturnURLs: mobileAuthReturnUrl, allowedOrigins: allowedOrigin, appHashes: appHash)
            let answer = try await options.carryOut(.addClient(id, rules))
            print("client_id=\(answer["id"]?.string ?? "")")
            print("client_secret=\(answer["secret"]?.string ?? "")")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the API clients, one JSON object a line.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await printLines(of: "clients", in: options.carryOut(.listClients))
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes an API client: its next call is refused, its tokens are void.")

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The client_id.")
        var id: String

        func run() async throws {
            guard let id = ClientID(id) else { throw ValidationError("the id must be 1 to 64 of A-Z a-z 0-9 . _ -") }
            _ = try await options.carryOut(.revokeClient(id))
            print("revoked \(id.text)")
        }
    }
}

/// Each member of an answer's list on a line of its own.
func printLines(of name: String, in answer: JSONObject) {
    for value in answer[name]?.array ?? [] { print(String(decoding: value.serialized(), as: UTF8.self)) }
}
