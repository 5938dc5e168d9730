internal import BuiltInFiles
internal import Storage
internal import SurfaceKit
internal import Text

extension Setting {
    /// Listeners (docs/configuration/server.md).
    static let ofServer: [Setting] = [
        Setting(
            "mode", \.mode, .choice(.sandbox, .live), default: .value(.sandbox, "none, must be set"),
            "sandbox plays the operators and the carrier and serves /sandbox; live does neither"),
        Setting(
            "server.host", \.server.hosts, .list, default: .value(["localhost"]),
            "IP addresses to listen on; localhost is 127.0.0.1 and ::1"),
        Setting(
            "server.port", \.server.port, .integer(0...65_535), default: .value(8080),
            "TCP port to listen on; 0 takes any free one"),
        Setting(
            "server.publicUrl", \.server.publicURL, .serverURL,
            default: .unset("http://127.0.0.1:<port> in sandbox, must be set in live"),
            "scheme and authority at which clients reach this server; tokens and links contain it"),
        Setting(
            "server.hostNames", \.server.hostNames, .hostNames, default: .value([]),
            "more names of this server, beside those of server.publicUrl, link.publicUrl, localhost and IP addresses; other names get 421"
        ),
        Setting(
            "server.maxBodyBytes", \.server.maxBodyBytes, .integer(4_096...67_108_864), default: .value(1_048_576),
            "largest request body"),
        Setting(
            "server.drainNoticeSeconds", \.server.drainNoticeSeconds, .integer(0...600),
            default: .byMode(live: 4, sandbox: 1),
            "after SIGTERM, how long /readyz answers 503 and responses close connections, before new ones are refused"),
        Setting(
            "server.drainSeconds", \.server.drainSeconds, .integer(0...600), default: .byMode(live: 5, sandbox: 8),
            "how long requests in flight may take after that; container engines kill 10 seconds after SIGTERM"),
        Setting(
            "server.loops", \.server.loops, .integer(0...64), default: .value(0),
            "event loops, each a thread; 0: one for each core"),
        Setting(
            "server.maxConnections", \.server.maxConnections, .integer(1...1_000_000), default: .value(12_000),
            "open connections in all"),
        Setting(
            "server.maxConnectionsPerAddress", \.server.maxConnectionsPerAddress, .integer(1...1_000_000),
            default: .following("200, in sandbox as maxConnections") {
                $0.mode == .live ? 200 : $0.server.maxConnections
            }, "open connections of one client address (IPv6: one /64)"),
        Setting(
            "server.keepAliveSeconds", \.server.keepAliveSeconds, .integer(1...3_600), default: .value(75),
            "how long an idle connection of a trusted proxy stays open, longer than the proxy keeps it; others: at most 60"
        ),
        Setting(
            "server.maxBufferedBytes", \.server.maxBufferedBytes, .integer(1_048_576...17_179_869_184),
            default: .value(64 * 1024 * 1024),
            "bytes that all connections hold together; over it, arriving requests get 503"),
        Setting(
            "server.maxStreams", \.server.maxStreams, .integer(1...1_000_000),
            default: .following("half of maxConnections") { max(1, $0.server.maxConnections / 2) },
            "event streams and long polls in all"),
        Setting(
            "server.maxStreamsPerAddress", \.server.maxStreamsPerAddress, .integer(1...1_000_000),
            default: .following("100, in sandbox as maxStreams") { $0.mode == .live ? 100 : $0.server.maxStreams },
            "the same of one client address (IPv6: one /64)"),
        Setting(
            "server.operationsHost", in: \.server.operations, \.host, .text, default: .value("127.0.0.1"),
            "IP address of the listener for probes, metrics and docs"),
        Setting(
            "server.operationsPort", in: \.server.operations, \.port, .integer(0...65_535),
            default: .value(8081, "8081 in live and with TLS, else none in sandbox"),
            "TCP port of that listener; without one, its paths are on the public port"),
        Setting(
            "server.publicMetrics", \.server.publicMetrics, .flag,
            default: .following("false where there is an operations listener") { $0.server.operations == nil },
            "whether the public listener has /metrics too"),
        Setting(
            "server.publicDocs", \.server.publicDocs, .flag, default: .byMode(live: false, sandbox: true),
            "whether the public listener has /docs and /openapi.json too"),
        Setting(
            "server.trustedProxies", \.server.trustedProxies, .trustedRanges, default: .value(AddressRanges()),
            "addresses and ranges (10.0.0.0/8) of proxies whose X-Forwarded-For is trusted"),
        Setting(
            "server.proxyProtocol", \.server.proxyProtocol, .flag, default: .value(false),
            "whether their connections begin with a PROXY header (version 1 or 2); others are closed"),
        Setting(
            "server.tlsCertificateFile", in: \.server.tls, \.certificateFile, .path, default: .value("", "none"),
            "PEM file of the certificate, then its issuers; without one, the public listener speaks plain HTTP"),
        Setting(
            "server.tlsKeyFile", in: \.server.tls, \.keyFile, .path,
            default: .value("", "none, must be set with server.tlsCertificateFile"),
            "PEM file of its key, mode 0600 or 0400"),
        Setting(
            "server.tlsClientCaFile", in: \.server.tls, \.clientAuthoritiesFile, .path,
            "PEM file of the authorities of API clients' certificates; without one, no client is asked for one"),
        Setting(
            "server.tlsClientCertificates", in: \.server.tls, \.needsClientCertificates,
            .choice(no: "optional", yes: "required"), default: .value(false),
            "required: calls of API clients need a certificate that names the API client; optional: a shown one must name it"
        ).printed(if: { $0.server.tls?.clientAuthoritiesFile != nil }),
        Setting(
            "server.tlsClientNameFrom", in: \.server.tls, \.clientNameFrom, .choice(ClientCertificates.Name.allCases),
            default: .value(.commonName),
            "where such a certificate names the API client, once: commonName, dnsName or uri"
        ).printed(if: { $0.server.tls?.clientAuthoritiesFile != nil }),
        Setting(
            "server.hstsSeconds", in: \.server.tls, \.strictTransportSeconds, .integer(0...63_072_000),
            default: .byMode(live: 31_536_000, sandbox: 0),
            "Strict-Transport-Security: how long browsers use https only; 0: off; only with server.tlsCertificateFile"),
        Setting(
            "server.redirectPort", \.server.redirectPort, .integer(0...65_535),
            "TCP port that redirects browsers from http to server.publicUrl; only with server.tlsCertificateFile"),
        Setting(
            "server.defaultRegion", \.server.defaultRegion, .text, default: .value("US"),
            "ISO 3166 region of numbers sent without a country code"),
    ]

    /// Numbers and what is stored.
    static let ofData: [Setting] = [
        Setting(
            "numbers.planFile", \.numbers.planFile, .path, default: .unset("none: the numbering plan in the program"),
            "a newer numbering plan, which scripts/numbering-plan writes"
        ).reloaded(.always),
        Setting(
            "numbers.unknownRanges", \.numbers.unknownRanges, .choice(.allow, .refuse), default: .value(.allow),
            "numbers in no range of the numbering plan; allow: taken, if the length is right; refuse: 400"),
        Setting(
            "data.directory", \.data.directory, .directory, default: .value("", "none, must be set"),
            "directory of the database and its lock, mode 0700"),
        Setting(
            "data.migrations", \.data.migrations, .path,
            default: .value(BuiltInPath.migrations, "those of the program"), "directory of the numbered migrations"),
        Setting(
            "data.changesPerCommit", \.data.changesPerCommit, .integer(1...4_096),
            default: .value(StorageLimits().transactionsPerBatch), "most changes that share one commit and its fsync"),
        Setting(
            "database.url", in: \.database, \.url, .postgresURL, default: .value("", "none: SQLite in data.directory"),
            "PostgreSQL in place of SQLite: postgresql://<role>@<host>:<port>/<database>, several hosts with commas between them"
        ),
        Setting(
            "database.passwordFile", in: \.database, \.passwordFile, .path,
            "file with the password of that role, mode 0600; without one, the role needs none"),
        Setting(
            "database.caFile", in: \.database, \.authoritiesFile, .path,
            "PEM file of the authorities of the database's certificate; without one, those of the system; sockets and loopback need none"
        ),
        Setting(
            "database.ownerUrl", in: \.database, \.ownerURL, .postgresURL,
            default: .unset("database.url"),
            "the same with the role that owns the tables, for holdfast database migrate"),
        Setting(
            "database.ownerPasswordFile", in: \.database, \.ownerPasswordFile, .path,
            default: .unset("none; with database.ownerUrl unset, database.passwordFile"),
            "file with the password of that role, mode 0600"),
        Setting(
            "database.lanes", in: \.database, \.lanes, .integer(1...64), default: .value(16),
            "connections that run transactions at the same time; a server has one or two more"),
        Setting(
            "database.allowNoStandby", in: \.database, \.allowsNoStandby, .flag,
            default: .byMode(live: false, sandbox: true),
            "whether PostgreSQL may be without a synchronous standby: then the loss of its disk loses acknowledged changes"
        ),
        Setting(
            "keys.masterKeyFile", \.keys.masterKeyFile, .path,
            default: .following("<data.directory>/master.key") { $0.data.directory + "/master.key" },
            "the secret that opens all keys; made at the first start, mode 0600"),
        Setting(
            "keys.rotationDays", \.keys.rotationDays, .integer(0...3650), default: .value(90),
            "age of a signing key at its replacement; 0: only by holdfast keys rotate"),
        Setting(
            "keys.sealingRotationDays", \.keys.sealingRotationDays, .integer(0...3650), default: .value(365),
            "age of the sealing key at its replacement; 0: only by holdfast keys rotate-sealing"),
        Setting(
            "audit.retentionDays", \.audit.retentionDays, .integer(1...3650), default: .value(400),
            "how long entries of the audit log are kept"),
    ]

    /// Log lines.
    static let ofLog: [Setting] = [
        Setting(
            "log.level", \.log.level, .choice("trace", "debug", "info", "notice", "warning", "error", "critical"),
            default: .value("info"), "minimum level that is logged"
        ).reloaded(.always),
        Setting(
            "log.format", \.log.format, .choice(Configuration.Log.Format.allCases),
            default: .unset("text on a terminal, else json"), "lines for people, or a JSON object a line for programs"),
        Setting("log.requests", \.log.requests, .flag, default: .value(true), "one line for each request"),
        Setting(
            "log.refusalsPerSecond", \.log.refusalsPerSecond, .integer(0...1_000_000), default: .value(100),
            "log lines a second for each status of refused requests (400 or more) that no known API client has sent; one line counts the rest; 0: all"
        ),
    ]
}
