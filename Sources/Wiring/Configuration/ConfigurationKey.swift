internal import Possession
internal import SurfaceKit

/// One setting: its place in the file, what it may be, what holds without it, and what it is for.
///
/// `server.publicUrl` in the file is `HOLDFAST_SERVER_PUBLIC_URL` in the environment.
package struct ConfigurationKey: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case text
        /// Relative ones count from the file they stand in, else from the working directory.
        case path
        case integer(ClosedRange<Int>)
        case choice([String])
        case flag
        /// Texts with commas or blanks between them; in the file also an array of them.
        case list
        /// An object in the file: cannot come from the environment.
        case object
    }

    /// Members of the file's objects, joined by dots.
    package let path: String
    package let form: Form
    /// The value that holds when nobody sets the key, in words for people.
    package let standard: String
    package let summary: String

    /// The rule for the value, for messages.
    var demand: String {
        switch form {
        case .text, .path: "must be a string that is not empty"
        case .integer(let range): "must be an integer from \(range.lowerBound) to \(range.upperBound)"
        case .choice(let names): "must be one of: " + names.joined(separator: ", ")
        case .flag: "must be true or false"
        case .list: "must be a text with commas between its entries, or an array of texts"
        case .object: "must be an object"
        }
    }

    /// A `live` configuration must not have it (contract section 4).
    var isForSandboxOnly: Bool { path.hasPrefix("sandbox.") }
}

extension ConfigurationKey: ExpressibleByStringLiteral {
    init(_ path: String, _ form: Form, standard: String, _ summary: String) {
        self.path = path
        self.form = form
        self.standard = standard
        self.summary = summary
    }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    /// The key of a setting that there is: code names settings by their path.
    package init(stringLiteral path: String) {
        guard let key = Self.byPath[path] else { preconditionFailure("there is no setting \(path)") }
        self = key
    }
}

extension ConfigurationKey {
    static let mode = ConfigurationKey(
        "mode", .choice(["sandbox", "live"]), standard: "none, must be set",
        "sandbox plays the operators and the carrier and serves /sandbox; live does neither")

    static let host = ConfigurationKey(
        "server.host", .list, standard: "localhost",
        "IP addresses to listen on; localhost is 127.0.0.1 and ::1")
    static let port = ConfigurationKey(
        "server.port", .integer(0...65_535), standard: "8080", "TCP port to listen on; 0 takes any free one")
    static let publicURL = ConfigurationKey(
        "server.publicUrl", .text, standard: "http://127.0.0.1:<port> in sandbox, must be set in live",
        "scheme and authority at which clients reach this server; tokens and links contain it")
    static let hostNames = ConfigurationKey(
        "server.hostNames", .list, standard: "none",
        "more names of this server, beside those of server.publicUrl, link.publicUrl, localhost and IP addresses; other names get 421"
    )
    static let maxBodyBytes = ConfigurationKey(
        "server.maxBodyBytes", .integer(4_096...67_108_864), standard: "1048576", "largest request body")
    static let drainNotice = ConfigurationKey(
        "server.drainNoticeSeconds", .integer(0...600), standard: "4 in live, 1 in sandbox",
        "after SIGTERM, how long /readyz answers 503 and responses close connections, before new ones are refused")
    static let drainSeconds = ConfigurationKey(
        "server.drainSeconds", .integer(0...600), standard: "5 in live, 8 in sandbox",
        "how long requests in flight may take after that; container engines kill 10 seconds after SIGTERM")
    static let loops = ConfigurationKey(
        "server.loops", .integer(0...64), standard: "0", "event loops, each a thread; 0: one for each core")
    static let maxConnections = ConfigurationKey(
        "server.maxConnections", .integer(1...1_000_000), standard: "12000", "open connections in all")
    static let maxConnectionsPerAddress = ConfigurationKey(
        "server.maxConnectionsPerAddress", .integer(1...1_000_000), standard: "200, in sandbox as maxConnections",
        "open connections of one client address (IPv6: one /64)")
    static let keepAliveSeconds = ConfigurationKey(
        "server.keepAliveSeconds", .integer(1...3_600), standard: "75",
        "how long an idle connection of a trusted proxy stays open, longer than the proxy keeps it; others: at most 60")
    static let maxBufferedBytes = ConfigurationKey(
        "server.maxBufferedBytes", .integer(1_048_576...17_179_869_184), standard: "67108864",
        "bytes that all connections hold together; over it, arriving requests get 503")
    static let maxStreams = ConfigurationKey(
        "server.maxStreams", .integer(1...1_000_000), standard: "half of maxConnections",
        "event streams and long polls in all")
    static let maxStreamsPerAddress = ConfigurationKey(
        "server.maxStreamsPerAddress", .integer(1...1_000_000), standard: "100, in sandbox as maxStreams",
        "the same of one client address (IPv6: one /64)")
    static let operationsHost = ConfigurationKey(
        "server.operationsHost", .text, standard: "127.0.0.1",
        "IP address of the listener for probes, metrics and docs")
    static let operationsPort = ConfigurationKey(
        "server.operationsPort", .integer(0...65_535), standard: "8081 in live and with TLS, else none in sandbox",
        "TCP port of that listener; without one, its paths are on the public port")
    static let publicMetrics = ConfigurationKey(
        "server.publicMetrics", .flag, standard: "false where there is an operations listener",
        "whether the public listener has /metrics too")
    static let publicDocs = ConfigurationKey(
        "server.publicDocs", .flag, standard: "false in live, true in sandbox",
        "whether the public listener has /docs and /openapi.json too")
    static let trustedProxies = ConfigurationKey(
        "server.trustedProxies", .list, standard: "none",
        "addresses and ranges (10.0.0.0/8) of proxies whose X-Forwarded-For is trusted")
    static let proxyProtocol = ConfigurationKey(
        "server.proxyProtocol", .flag, standard: "false",
        "whether their connections begin with a PROXY header (version 1 or 2); others are closed")
    static let defaultRegion = ConfigurationKey(
        "server.defaultRegion", .text, standard: "US", "ISO 3166 region of numbers sent without a country code")

    static let tlsCertificate = ConfigurationKey(
        "server.tlsCertificateFile", .path, standard: "none",
        "PEM file of the certificate, then its issuers; without one, the public listener speaks plain HTTP")
    static let tlsKey = ConfigurationKey(
        "server.tlsKeyFile", .path, standard: "none, must be set with server.tlsCertificateFile",
        "PEM file of its key, mode 0600 or 0400")
    static let tlsClientAuthorities = ConfigurationKey(
        "server.tlsClientCaFile", .path, standard: "none",
        "PEM file of the authorities of API clients' certificates; without one, no client is asked for one")
    static let tlsClientCertificates = ConfigurationKey(
        "server.tlsClientCertificates", .choice(["optional", "required"]), standard: "optional",
        "required: calls of API clients need a certificate that names the API client; optional: a shown one must name it"
    )
    static let tlsClientNameFrom = ConfigurationKey(
        "server.tlsClientNameFrom", .choice(ClientCertificates.Name.allCases.map(\.rawValue)), standard: "commonName",
        "where such a certificate names the API client, once: commonName, dnsName or uri")
    static let strictTransport = ConfigurationKey(
        "server.hstsSeconds", .integer(0...63_072_000), standard: "31536000 in live, 0 in sandbox",
        "Strict-Transport-Security: how long browsers use https only; 0: off; only with server.tlsCertificateFile")
    static let redirectPort = ConfigurationKey(
        "server.redirectPort", .integer(0...65_535), standard: "none",
        "TCP port that redirects browsers from http to server.publicUrl; only with server.tlsCertificateFile")

    static let planFile = ConfigurationKey(
        "numbers.planFile", .path, standard: "none: the numbering plan in the program",
        "a newer numbering plan, which scripts/numbering-plan writes")
    static let unknownRanges = ConfigurationKey(
        "numbers.unknownRanges", .choice(["allow", "refuse"]), standard: "allow",
        "numbers in no range of the numbering plan; allow: taken, if the length is right; refuse: 400")

    static let dataDirectory = ConfigurationKey(
        "data.directory", .path, standard: "none, must be set", "directory of the database and its lock, mode 0700")
    static let migrations = ConfigurationKey(
        "data.migrations", .path, standard: "those of the program", "directory of the numbered migrations")
    static let changesPerCommit = ConfigurationKey(
        "data.changesPerCommit", .integer(1...4_096), standard: "512",
        "most changes that share one commit and its fsync")
    static let masterKeyFile = ConfigurationKey(
        "keys.masterKeyFile", .path, standard: "<data.directory>/master.key",
        "the secret that opens all keys; made at the first start, mode 0600")

    static let rotationDays = ConfigurationKey(
        "keys.rotationDays", .integer(0...3650), standard: "90",
        "age of a signing key at its replacement; 0: only by holdfast keys rotate")
    static let sealingRotationDays = ConfigurationKey(
        "keys.sealingRotationDays", .integer(0...3650), standard: "365",
        "age of the sealing key at its replacement; 0: only by holdfast keys rotate-sealing")

    static let codeLength = ConfigurationKey(
        "otp.codeLength", .integer(4...6), standard: "4 in sandbox, 6 in live",
        "digits of a code, unless a call says otherwise; in live also the fewest, unless leastCodeDigits of the API client allows fewer"
    )
    static let codeLifetime = ConfigurationKey(
        "otp.lifetimeSeconds", .integer(30...600), standard: "120", "how long a code is valid")

    static let linkURL = ConfigurationKey(
        "link.publicUrl", .text, standard: "as server.publicUrl",
        "scheme and authority of instant links; not a host whose links an app opens")
    static let linkLifetime = ConfigurationKey(
        "link.lifetimeSeconds", .integer(30...600), standard: "180", "how long an instant link is valid")

    static let textsFile = ConfigurationKey(
        "messaging.textsFile", .path, standard: "none: English texts of the program",
        "texts of messages by language and country; config/texts.json has nineteen languages")
    static let lookalikes = ConfigurationKey(
        "messaging.lookalikes", .flag, standard: "false",
        "whether an SMS gets look-alikes of characters outside of GSM-7, except registered texts")
    static let brand = ConfigurationKey(
        "messaging.brand", .text, standard: "none, must be set where a text has {brand}",
        "the name in messages, unless the API client has a displayName; 1 to 64 bytes")

    static let operatorTimeout = ConfigurationKey(
        "mobileAuth.timeoutSeconds", .integer(1...30), standard: "3",
        "how long one call to a mobile operator may take")
    static let circuitFailures = ConfigurationKey(
        "mobileAuth.circuitFailures", .integer(0...1_000), standard: "5 in live, 0 in sandbox",
        "failed calls in a row after which an operator is not called; 0: never")
    static let circuitPause = ConfigurationKey(
        "mobileAuth.circuitPauseSeconds", .integer(1...3_600), standard: "30",
        "how long it is not called then")
    static let operators = ConfigurationKey(
        "mobileAuth.operators", .object, standard: "none",
        "live: CAMARA operators by name, with authorizeUrl, tokenUrl, apiUrl, clientId, networks, plmns")

    static let auditRetention = ConfigurationKey(
        "audit.retentionDays", .integer(1...3650), standard: "400",
        "how long entries of the audit log are kept")

    static let webhookRetention = ConfigurationKey(
        "webhooks.retentionDays", .integer(1...90), standard: "7",
        "how long events and deliveries are kept; an event not delivered by then is given up")
    static let webhookBytes = ConfigurationKey(
        "webhooks.maxBytesPerClient", .integer(1_048_576...1_099_511_627_776), standard: "67108864",
        "events and deliveries kept for one API client; over it the oldest go")
    static let webhookNetworks = ConfigurationKey(
        "webhooks.allowedNetworks", .list, standard: "none; in sandbox 127.0.0.0/8 and ::1",
        "addresses and ranges (10.0.0.0/8) of internal receivers; others are refused")
    static let webhookPorts = ConfigurationKey(
        "webhooks.ports", .list, standard: "443, 8443",
        "TCP ports of receivers; in sandbox any port of a loopback address")

    static let webhookProxy = ConfigurationKey(
        "webhooks.proxyUrl", .text, standard: "none",
        "HTTP proxy to receivers, such as http://egress:4750; it decides which addresses may be called")

    static let appClientID = ConfigurationKey(
        "app.clientId", .text, standard: "none; in sandbox the API client sandbox, where there is one",
        "API client of runs of /initialize; without one, there are none")
    static let appOrigins = ConfigurationKey(
        "app.allowedOrigins", .list, standard: "none",
        "web origins that may call with cookies; in sandbox also every loopback origin")
    static let appTarget = ConfigurationKey(
        "app.finalTargetUrl", .text, standard: "none",
        "where the link of a desktop flow leads, unless the call says it")
    static let acceptAuthID = ConfigurationKey(
        "app.acceptAuthId", .flag, standard: "true in sandbox, false in live",
        "whether authId is enough to open a run; it is no secret: finalTargetUrl has it too")
    static let appRetry = ConfigurationKey(
        "app.allowOtpRetry", .flag, standard: "true",
        "whether runs of /initialize have limits.otpAttemptsWithRetry code entries, or one; where limits hold over sessions, else the call says it"
    )

    static let identityURL = ConfigurationKey(
        "identity.url", .text, standard: "none",
        "your service that knows the people behind numbers, instead of the imported people")
    static let identityLookupURL = ConfigurationKey(
        "identity.lookupUrl", .text, standard: "none",
        "your service that finds people by the credentials of onboarding")
    static let identityKeys = ConfigurationKey(
        "identity.keys", .list, standard: "none",
        "credentials by which onboarding finds imported people: email:address+birthDate is a key of two names, the first has e-mail addresses; :number has phone numbers"
    )
    static let onboardingAcceptPlain = ConfigurationKey(
        "onboarding.acceptPlain", .flag, standard: "true in sandbox, false in live",
        "whether onboarding takes unencrypted calls, for the API client of app.clientId")
    static let identitySecretFile = ConfigurationKey(
        "identity.secretFile", .path, standard: "none, must be set with identity.url or identity.lookupUrl",
        "the secret shared with them, 32 to 1024 visible characters; mode 0600")
    static let identityTimeout = ConfigurationKey(
        "identity.timeoutSeconds", .integer(1...30), standard: "3", "how long one call to them may take")
    static let identityFailures = ConfigurationKey(
        "identity.circuitFailures", .integer(0...1_000), standard: "5",
        "failed calls in a row after which it is not called; 0: never")
    static let identityPause = ConfigurationKey(
        "identity.circuitPauseSeconds", .integer(1...3_600), standard: "30", "how long it is not called then")

    static let reputationURL = ConfigurationKey(
        "reputation.url", .text, standard: "none",
        "live: your service that knows the standing of numbers, instead of reputation.operators")
    static let reputationSecretFile = ConfigurationKey(
        "reputation.secretFile", .path, standard: "none, must be set with reputation.url",
        "the secret shared with it, 32 to 1024 visible characters; mode 0600")
    static let reputationOperators = ConfigurationKey(
        "reputation.operators", .object, standard: "none",
        "live: CAMARA operators by name, with tokenUrl, clientId, prefixes, simSwapUrl, numberRecyclingUrl, tokenWay, simSwapCall"
    )
    static let reputationWhenUnknown = ConfigurationKey(
        "reputation.whenUnknown", .choice(["fail", "pass"]), standard: "fail",
        "what an unknown standing counts as")
    static let simSwapHours = ConfigurationKey(
        "reputation.simSwapHours", .integer(1...2_400), standard: "24",
        "a SIM swap younger than this is a bad standing")
    static let reputationTimeout = ConfigurationKey(
        "reputation.timeoutSeconds", .integer(1...30), standard: "3",
        "how long the answer about one number may take")
    static let reputationFailures = ConfigurationKey(
        "reputation.circuitFailures", .integer(0...1_000), standard: "5",
        "failed answers in a row after which an operator or the service is not called; 0: never")
    static let reputationPause = ConfigurationKey(
        "reputation.circuitPauseSeconds", .integer(1...3_600), standard: "30", "how long it is not called then")

    static let requestsPerSecond = ConfigurationKey(
        "limits.requestsPerSecond", .integer(0...1_000_000), standard: "25 in live, 0 in sandbox",
        "requests a second of one API client, its apps and links; 0: no limit")
    static let auditedCallsPerMinute = ConfigurationKey(
        "limits.auditedCallsPerMinute", .integer(0...1_000_000), standard: "10",
        "calls a minute of one API client that the audit log keeps; 0: no limit")
    static let callsPerAddressPerSecond = ConfigurationKey(
        "limits.callsPerAddressPerSecond", .integer(0...100_000), standard: "50",
        "app, client and link calls a second from one address, four times as many at once (IPv6: /64; a /48 five times as many); 0: no limit"
    )
    static let enforceInSandbox = ConfigurationKey(
        "limits.enforceInSandbox", .flag, standard: "false", "enforces limits over sessions in sandbox mode")
    static let sendsPerSession = ConfigurationKey(
        "limits.sendsPerSession", .integer(1...10), standard: "3", "messages of one session")
    static let numberEntriesPerSession = ConfigurationKey(
        "limits.numberEntriesPerSession", .integer(1...10), standard: "3",
        "numbers of one session, if the API client allows a change")
    static let attemptsWithRetry = ConfigurationKey(
        "limits.otpAttemptsWithRetry", .integer(1...10), standard: "3", "code entries of a session with allowOTPRetry")
    static let sendsPerQuarterHour = ConfigurationKey(
        "limits.sendsPerNumberPerQuarterHour", .integer(1...1_000), standard: "5",
        "messages to one number in 15 minutes")
    static let sendsPerDay = ConfigurationKey(
        "limits.sendsPerNumberPerDay", .integer(1...1_000), standard: "10", "messages to one number in 24 hours")
    static let secondsBetweenSends = ConfigurationKey(
        "limits.secondsBetweenSends", .integer(0...900), standard: "30 in live, 0 in sandbox",
        "shortest time between two messages to one number, doubled from the third in 15 minutes on; 0: in sandbox only")
    static let wrongCodesPerHour = ConfigurationKey(
        "limits.wrongCodesPerNumberPerHour", .integer(1...1_000), standard: "10",
        "wrong codes for one number in an hour")
    static let wrongCodesPerDay = ConfigurationKey(
        "limits.wrongCodesPerNumberPerDay", .integer(1...1_000), standard: "20",
        "wrong codes for one number in 24 hours")
    static let unansweredPerAddress = ConfigurationKey(
        "limits.unansweredPerAddress", .integer(0...100_000), standard: "6",
        "unanswered messages of one end user's address (IPv6: /64), see limits.md; 0: no limit")
    static let unansweredPerNetwork = ConfigurationKey(
        "limits.unansweredPerNetwork", .integer(0...100_000), standard: "60",
        "the same of a /24 (IPv6: a /48; ten times as many for a /32); 0: no limit")
    static let unansweredPerPrefix = ConfigurationKey(
        "limits.unansweredPerPrefix", .integer(0...100_000), standard: "75",
        "the same to numbers that share all but their last 4 digits; 0: no limit")
    static let unansweredPerCountry = ConfigurationKey(
        "limits.unansweredPerCountry", .integer(0...1_000_000), standard: "400", "the same to a country; 0: no limit")
    static let knownNetworks = ConfigurationKey(
        "limits.knownNetworks", .list, standard: "none",
        "addresses and ranges (192.0.2.0/24) of people who are trusted not to ask for messages to numbers of their own")
    static let lineTypes = ConfigurationKey(
        "limits.lineTypes", .list, standard: "all of them",
        "lines that messages may go to, by the numbering plan: \(NumberKind.reachable.map(\.rawValue).joined(separator: ", ")); an API client may have its own"
    )
    static let startsPerAddressPerTenMinutes = ConfigurationKey(
        "limits.startsPerAddressPerTenMinutes", .integer(0...200), standard: "60",
        "calls of /initialize from one address in 10 minutes (IPv6: /64; a /48 five times as many); 0: no limit")
    static let startsPerPersonPerDay = ConfigurationKey(
        "limits.startsPerPersonPerDay", .integer(0...200), standard: "5",
        "onboarding processes of one network with the same credentials in 24 hours; 0: no limit")
    static let failedClaimsPerHour = ConfigurationKey(
        "limits.failedClaimsPerHour", .integer(1...1_000), standard: "5",
        "wrong birth dates, SSNs and names in an hour, for one number or with one device key")
    static let failedClaimsPerDay = ConfigurationKey(
        "limits.failedClaimsPerDay", .integer(1...1_000), standard: "10", "the same in 24 hours")
    static let failuresInARow = ConfigurationKey(
        "limits.failuresInARow", .integer(2...100), standard: "100",
        "failures of a check in a row for one number that close it, until another check passes or holdfast numbers unlock"
    )
    static let retention = ConfigurationKey(
        "limits.retentionSeconds", .integer(0...7_776_000), standard: "86400",
        "how long sessions are kept from their start, at least while results can be read")

    static let usersFile = ConfigurationKey(
        "sandbox.usersFile", .path, standard: "that of the program",
        "file of the sandbox users")
    static let unknownNumbers = ConfigurationKey(
        "sandbox.unknownNumbers", .choice(["refuse", "simulate"]), standard: "refuse",
        "numbers of no sandbox user; refuse: 400; simulate: a random code in the inbox")
    static let flowByOrigin = ConfigurationKey(
        "sandbox.flowByOrigin", .flag, standard: "true",
        "whether a page without cookie and flow token gets the newest run of its origin and address")
    static let clients = ConfigurationKey(
        "sandbox.clients", .object, standard: "none",
        "API clients made at start: {\"ID\": {\"secret\": \"...\"}}")

    static let logLevel = ConfigurationKey(
        "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), standard: "info",
        "minimum level that is logged")
    static let logFormat = ConfigurationKey(
        "log.format", .choice(Configuration.Log.Format.allCases.map(\.rawValue)),
        standard: "text on a terminal, else json",
        "lines for people, or a JSON object a line for programs")
    static let logRequests = ConfigurationKey(
        "log.requests", .flag, standard: "true", "one line for each request")
    static let refusalsPerSecond = ConfigurationKey(
        "log.refusalsPerSecond", .integer(0...1_000_000), standard: "100",
        "lines a second for each status of refused requests (400 or more) and of no known API client; one line counts the rest; 0: all"
    )

    /// Every setting there is, in the order of the documentation.
    package static let all: [ConfigurationKey] =
        [
            mode, host, port, publicURL, hostNames, maxBodyBytes, drainNotice, drainSeconds, loops, maxConnections,
            maxConnectionsPerAddress, keepAliveSeconds, maxBufferedBytes, maxStreams, maxStreamsPerAddress,
            operationsHost,
            operationsPort,
            publicMetrics, publicDocs, trustedProxies, proxyProtocol,
            tlsCertificate, tlsKey, tlsClientAuthorities, tlsClientCertificates, tlsClientNameFrom, strictTransport,
            redirectPort,
            defaultRegion, planFile, unknownRanges, dataDirectory, migrations, changesPerCommit, masterKeyFile,
            rotationDays,
            sealingRotationDays, auditRetention, codeLength, codeLifetime,
            linkURL, linkLifetime, textsFile, brand, lookalikes, webhookRetention, webhookBytes, webhookNetworks,
            webhookPorts,
            webhookProxy,
            operatorTimeout,
            circuitFailures, circuitPause, operators,
            appClientID, appOrigins,
            appTarget, acceptAuthID, appRetry, onboardingAcceptPlain, identityURL, identityLookupURL,
            identityKeys, identitySecretFile,
            identityTimeout, identityFailures,
            identityPause,
            reputationURL, reputationSecretFile, reputationOperators, reputationWhenUnknown, simSwapHours,
            reputationTimeout, reputationFailures, reputationPause,
            requestsPerSecond, auditedCallsPerMinute, callsPerAddressPerSecond, enforceInSandbox, sendsPerSession,
            numberEntriesPerSession,
            attemptsWithRetry,
            sendsPerQuarterHour, sendsPerDay, secondsBetweenSends,
            unansweredPerAddress, unansweredPerNetwork, unansweredPerPrefix, unansweredPerCountry, knownNetworks,
            lineTypes,
            startsPerAddressPerTenMinutes, startsPerPersonPerDay,
            wrongCodesPerHour, wrongCodesPerDay, failedClaimsPerHour, failedClaimsPerDay, failuresInARow, retention,
            usersFile, unknownNumbers, flowByOrigin, clients, logLevel, logFormat, logRequests, refusalsPerSecond,
        ] + ofMessaging + ofGuard
}
