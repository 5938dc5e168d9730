internal import Administration
internal import BuiltInFiles
internal import Sandbox
internal import Possession
internal import SurfaceKit
internal import SQLiteStorage
internal import StrictJSON
internal import Text

extension Configuration {
    /// Reads and checks every setting.
    ///
    /// - Throws: all mistakes in one error.
    package init(_ sources: ConfigurationSources) throws(ConfigurationError) {
        self.init()
        var reader = ConfigurationReader(sources)
        // Nothing is known of a file that cannot be read, so nothing is said to be missing from it.
        guard !reader.isFileBroken else { throw ConfigurationError(mistakes: reader.mistakes) }
        let mode = reader.text(.mode).flatMap(Mode.init)
        if mode == nil && !reader.isSet(.mode) {
            let hint = sources.file == nil ? "; no configuration is named: give --config, or set HOLDFAST_CONFIG" : ""
            reader.refuse(.mode, "missing; " + ConfigurationKey.mode.demand + hint)
        }
        if mode == .live { Configuration.refuseSandboxSettings(&reader) }

        // After a mistake the values below are stand-ins: they never leave this function.
        server = Server(&reader, mode)
        numbers = Numbers(
            planFile: reader.text(.planFile),
            unknownRanges: reader.text(.unknownRanges).flatMap(Numbers.UnknownRanges.init) ?? .allow)
        data = Data(&reader)
        keys = Keys(
            masterKeyFile: reader.text(.masterKeyFile) ?? data.directory + "/master.key",
            rotationDays: reader.integer(.rotationDays) ?? 90,
            sealingRotationDays: reader.integer(.sealingRotationDays) ?? 365)
        audit = Audit(retentionDays: reader.integer(.auditRetention) ?? 400)
        otp = Codes(
            length: reader.integer(.codeLength) ?? (mode == .live ? 6 : 4),
            lifetimeSeconds: reader.integer(.codeLifetime) ?? 120)
        link = Links(&reader, mode)
        texts = Texts(&reader)
        webhooks = Webhooks(&reader, mode)
        mobileAuth = MobileAuth(&reader, mode)
        messaging = Messaging(&reader, mode)
        spend = SpendGuard(&reader)
        identity = Identity(&reader)
        reputation = Reputation(&reader, mode, mobileAuth)
        limits = Limiting(&reader, mode)
        sandbox = mode == .live ? nil : Sandbox(&reader)
        app = App(&reader, sandbox)
        onboarding = Onboarding(&reader, app, isSandbox: sandbox != nil)
        log = Log(
            level: reader.text(.logLevel) ?? "info", format: reader.text(.logFormat).flatMap(Log.Format.init),
            requests: reader.flag(.logRequests) ?? true,
            refusalsPerSecond: reader.integer(.refusalsPerSecond) ?? 100)
        self.mode = mode ?? .sandbox
        foreignVariables = reader.foreignVariables

        guard reader.mistakes.isEmpty else { throw ConfigurationError(mistakes: reader.mistakes) }
    }

    private static func refuseSandboxSettings(_ reader: inout ConfigurationReader) {
        for key in ConfigurationKey.all where key.isForSandboxOnly && reader.isSet(key) {
            reader.refuse(key, "a live configuration must not have sandbox settings")
        }
        if reader.isSet(.enforceInSandbox) {
            reader.refuse(.enforceInSandbox, "a live configuration must not have sandbox settings")
        }
    }
}

extension Configuration.Server {
    fileprivate init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        hosts = reader.isSet(.host) ? reader.list(.host) : ["localhost"]
        port = reader.integer(.port) ?? 8080
        hostNames = reader.hostNames(.hostNames)
        maxBodyBytes = reader.integer(.maxBodyBytes) ?? 1_048_576
        // Nine seconds together: container engines kill after ten.
        drainNoticeSeconds = reader.integer(.drainNotice) ?? (mode == .live ? 4 : 1)
        drainSeconds = reader.integer(.drainSeconds) ?? (mode == .live ? 5 : 8)
        loops = reader.integer(.loops) ?? 0
        maxConnections = reader.integer(.maxConnections) ?? 12_000
        maxConnectionsPerAddress =
            reader.integer(.maxConnectionsPerAddress) ?? (mode == .live ? 200 : maxConnections)
        keepAliveSeconds = reader.integer(.keepAliveSeconds) ?? 75
        maxBufferedBytes = reader.integer(.maxBufferedBytes) ?? 64 * 1024 * 1024
        maxStreams = reader.integer(.maxStreams) ?? max(1, maxConnections / 2)
        maxStreamsPerAddress = reader.integer(.maxStreamsPerAddress) ?? (mode == .live ? 100 : maxStreams)
        operations = Operations(&reader, mode)
        publicMetrics = reader.flag(.publicMetrics) ?? (operations == nil)
        publicDocs = reader.flag(.publicDocs) ?? (mode != .live)
        trustedProxies = reader.trustedRanges(.trustedProxies)
        proxyProtocol = reader.flag(.proxyProtocol) ?? false
        if proxyProtocol, trustedProxies.isEmpty {
            reader.refuse(.proxyProtocol, "names no proxy: set server.trustedProxies")
        }
        defaultRegion = reader.text(.defaultRegion) ?? "US"

        if hosts.isEmpty { reader.refuse(.host, "must name localhost or IP addresses") }
        for host in hosts where host != "localhost" && !IPLiteral.isAddress(host) {
            reader.refuse(.host, "the entry '\(host)' must be localhost or an IP address")
        }
        let isRegion = defaultRegion.utf8.count == 2 && defaultRegion.utf8.allSatisfy { (65...90).contains($0) }
        if !isRegion { reader.refuse(.defaultRegion, "must be two capital letters, such as US") }
        if let operations, operations.port == port, port != 0 {
            reader.refuse(.operationsPort, "must differ from server.port")
        }
        publicURL = reader.url(.publicURL, mode)
        if mode == .live && !reader.isSet(.publicURL) {
            reader.refuse(.publicURL, "missing; a live configuration must set it")
        }
        tls = TLS(&reader, mode)
        redirectPort = reader.integer(.redirectPort)
        checkTLS(&reader)
    }

    private func checkTLS(_ reader: inout ConfigurationReader) {
        if tls != nil, let publicURL, publicURL.hasPrefix("http://") {
            reader.refuse(.publicURL, "must begin with https://, as server.tlsCertificateFile is set")
        }
        guard let redirectPort else { return }
        if tls == nil {
            reader.refuse(.redirectPort, "there is no https to redirect to: set server.tlsCertificateFile")
        }
        if redirectPort != 0, redirectPort == port || redirectPort == operations?.port {
            reader.refuse(.redirectPort, "must differ from server.port and server.operationsPort")
        }
    }
}

extension Configuration.Server.TLS {
    /// `nil` without a certificate.
    fileprivate init?(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        certificateFile = reader.text(.tlsCertificate) ?? ""
        keyFile = reader.text(.tlsKey) ?? ""
        clientAuthoritiesFile = reader.text(.tlsClientAuthorities)
        needsClientCertificates = reader.text(.tlsClientCertificates) == "required"
        clientNameFrom = reader.text(.tlsClientNameFrom).flatMap(ClientCertificates.Name.init) ?? .commonName
        strictTransportSeconds = reader.integer(.strictTransport) ?? (mode == .live ? 31_536_000 : 0)
        guard reader.isSet(.tlsCertificate) else {
            for key in [
                ConfigurationKey.tlsKey, .tlsClientAuthorities, .tlsClientCertificates, .tlsClientNameFrom,
                .strictTransport,
            ] where reader.isSet(key) {
                reader.refuse(key, "is of no use without server.tlsCertificateFile")
            }
            return nil
        }
        if !reader.isSet(.tlsKey) { reader.refuse(.tlsKey, "missing; server.tlsCertificateFile needs it") }
        guard !reader.isSet(.tlsClientAuthorities) else { return }
        for key in [ConfigurationKey.tlsClientCertificates, .tlsClientNameFrom] where reader.isSet(key) {
            reader.refuse(.tlsClientAuthorities, "missing; \(key.path) needs it")
        }
    }
}

extension Configuration.Server.Operations {
    /// In live always; in sandbox where a host or a port is set, or callers speak TLS: probes speak plain HTTP.
    fileprivate init?(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        let isWanted =
            mode == .live || reader.isSet(.operationsHost) || reader.isSet(.operationsPort)
            || reader.isSet(.tlsCertificate)
        host = reader.text(.operationsHost) ?? "127.0.0.1"
        port = reader.integer(.operationsPort) ?? 8081
        if !IPLiteral.isAddress(host) { reader.refuse(.operationsHost, "must be an IP address") }
        if !isWanted { return nil }
    }
}

extension Configuration.Data {
    fileprivate init(_ reader: inout ConfigurationReader) {
        directory = reader.text(.dataDirectory) ?? ""
        while directory.hasSuffix("/") && directory.utf8.count > 1 { directory.removeLast() }
        migrations = reader.text(.migrations) ?? BuiltInPath.migrations
        changesPerCommit = reader.integer(.changesPerCommit) ?? StorageLimits().transactionsPerBatch
        if directory.isEmpty && !reader.isSet(.dataDirectory) {
            reader.refuse(.dataDirectory, "missing; set it or give --data")
        }
    }
}

extension Configuration.Links {
    fileprivate init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        lifetimeSeconds = reader.integer(.linkLifetime) ?? 180
        publicURL = reader.url(.linkURL, mode)
    }
}

extension Configuration.Texts {
    fileprivate init(_ reader: inout ConfigurationReader) {
        file = reader.text(.textsFile)
        lookalikes = reader.flag(.lookalikes) ?? false
        brand = reader.text(.brand)
        if let brand, brand.utf8.count > 64 || !Person.isPrintable(brand) {
            reader.refuse(.brand, "must have 1 to 64 bytes without control characters")
        }
    }
}

extension Configuration.Webhooks {
    fileprivate init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        retentionDays = reader.integer(.webhookRetention) ?? 7
        maxBytesPerClient = reader.integer(.webhookBytes) ?? StorageLimits().webhookBytesPerClient
        let listed = reader.addressRanges(.webhookNetworks)
        let loopback = mode == .sandbox && !reader.isSet(.webhookNetworks)
        allowedNetworks = loopback ? Self.loopback : listed
        var ports: Set<Int> = []
        for entry in reader.list(.webhookPorts) {
            if let port = Int(entry), (1...65_535).contains(port) {
                ports.insert(port)
            } else {
                reader.refuse(.webhookPorts, "the entry '\(entry)' must be a number from 1 to 65535")
            }
        }
        self.ports = reader.isSet(.webhookPorts) ? ports : [443, 8443]
        if self.ports.isEmpty { reader.refuse(.webhookPorts, "must name a port") }
        proxyURL = reader.text(.webhookProxy)
        if let proxyDefect { reader.refuse(.webhookProxy, proxyDefect) }
    }
}

extension Configuration.MobileAuth {
    fileprivate init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        timeoutSeconds = reader.integer(.operatorTimeout) ?? 3
        circuitFailures = reader.integer(.circuitFailures) ?? (mode == .live ? 5 : 0)
        circuitPauseSeconds = reader.integer(.circuitPause) ?? 30
        operators = []
        guard let object = reader.object(.operators) else {
            if reader.isSet(.operators) { reader.refuse(.operators, ConfigurationKey.operators.demand) }
            return
        }
        if mode == .sandbox { reader.refuse(.operators, "the sandbox plays the operator itself") }
        let known = reader.mistakes.count
        for member in object.members { operators.append(Configuration.NetworkOperator(&reader, member)) }
        // The values are only checked where all of them have the right form.
        guard reader.mistakes.count == known else { return }
        for defect in defects { reader.refuse(at: defect.path, defect.reason) }
    }
}

extension Configuration.App {
    fileprivate init(_ reader: inout ConfigurationReader, _ sandbox: Configuration.Sandbox?) {
        acceptAuthID = reader.flag(.acceptAuthID) ?? (sandbox != nil)
        allowsOTPRetry = reader.flag(.appRetry) ?? true
        allowedOrigins = reader.list(.appOrigins)
        for origin in allowedOrigins {
            if WebOrigin.mayBeListed(origin) { continue }
            if sandbox != nil, PublicURL.canonical(origin) == origin, PublicURL.isPrivate(origin) { continue }
            let places = sandbox == nil ? "loopback" : "loopback or a private address"
            reader.refuse(
                .appOrigins,
                "the entry '\(origin)' must be https:// and a host in lower case, http on \(places), or a web view's "
                    + "such as capacitor://localhost or http://tauri.localhost, without a path")
        }
        finalTargetURL = reader.text(.appTarget)
        if let finalTargetURL, (try? FinalTargetURL(finalTargetURL)) == nil {
            reader.refuse(
                .appTarget,
                "must be an https:// URL of at most 128 of A-Z a-z 0-9 - . _ + = / : ?; http only on loopback in sandbox"
            )
        }
        let text = reader.text(.appClientID) ?? sandbox?.clients.first { $0.id == "sandbox" }?.id
        clientID = text.flatMap(ClientID.init)
        if text != nil, clientID == nil {
            reader.refuse(.appClientID, "must be a client id (1-64 of A-Z a-z 0-9 . _ -)")
        }
    }
}

extension Configuration.Onboarding {
    fileprivate init(_ reader: inout ConfigurationReader, _ app: Configuration.App, isSandbox: Bool) {
        acceptsPlain = reader.flag(.onboardingAcceptPlain) ?? isSandbox
        if !isSandbox, acceptsPlain, app.clientID == nil {
            reader.refuse(.onboardingAcceptPlain, "needs app.clientId, the API client of such calls")
        }
    }
}

extension Configuration.Identity {
    private static let mostKeys = 16

    fileprivate init(_ reader: inout ConfigurationReader) {
        url = reader.text(.identityURL)
        lookupURL = reader.text(.identityLookupURL)
        (keys, kinds) = Self.keys(&reader)
        secretFile = reader.text(.identitySecretFile)
        timeoutSeconds = reader.integer(.identityTimeout) ?? 3
        circuitFailures = reader.integer(.identityFailures) ?? 5
        circuitPauseSeconds = reader.integer(.identityPause) ?? 30

        if let defect = urlDefect { reader.refuse(.identityURL, defect) }
        if let defect = lookupURLDefect { reader.refuse(.identityLookupURL, defect) }
        let (hasURL, hasLookup) = (reader.isSet(.identityURL), reader.isSet(.identityLookupURL))
        let hasSecret = reader.isSet(.identitySecretFile)
        if hasURL && !hasSecret { reader.refuse(.identitySecretFile, "missing; identity.url needs it") }
        if hasLookup && !hasURL && !hasSecret {
            reader.refuse(.identitySecretFile, "missing; identity.lookupUrl needs it")
        }
        if hasSecret && !hasURL && !hasLookup {
            reader.refuse(.identityURL, "missing; identity.secretFile is for it")
        }
    }

    /// Each entry is a key, its names with `+` between them. A name may have a kind behind it: `email:address`.
    private static func keys(
        _ reader: inout ConfigurationReader
    ) -> (keys: [IdentificationKey], kinds: CredentialKinds) {
        let entries = reader.list(.identityKeys)
        guard entries.count <= mostKeys else {
            reader.refuse(.identityKeys, "has more than \(mostKeys) entries")
            return ([], CredentialKinds())
        }
        var keys: [IdentificationKey] = []
        var kinds = CredentialKinds()
        for entry in entries {
            let parts = entry.utf8.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false).map { part in
                part.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                    .map { String(decoding: $0, as: UTF8.self) }
            }
            let declared = parts.map { (name: $0[0], kind: $0.count == 2 ? CredentialKind.spelled($0[1]) : nil) }
            guard zip(parts, declared).allSatisfy({ $0.count == 1 || $1.kind != nil }) else {
                let words = CredentialKind.allCases.map(\.rawValue).joined(separator: " or ")
                reader.refuse(.identityKeys, "the entry '\(entry)' must have \(words) behind a colon")
                continue
            }
            guard let key = IdentificationKey(declared.map { $0.name }) else {
                reader.refuse(
                    .identityKeys,
                    "the entry '\(entry)' must be 1 to \(IdentificationKey.mostNames) names with + between them, each "
                        + "once and of at most \(Identification.longestName) bytes")
                continue
            }
            guard !keys.contains(key) else {
                reader.refuse(.identityKeys, "the entry '\(entry)' has the names of an earlier one")
                continue
            }
            let known = keys.flatMap(\.names)
            if let other = declared.first(where: { part in
                known.contains { $0.isSame(as: part.name) } && kinds[part.name] != part.kind
            }) {
                reader.refuse(
                    .identityKeys, "the entry '\(entry)' declares '\(other.name)' otherwise than an earlier one")
                continue
            }
            keys.append(key)
            for part in declared { kinds[part.name] = part.kind }
        }
        return (keys, kinds)
    }
}

extension Configuration.Limiting {
    fileprivate init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        let rules = Limits()
        requestsPerSecond = reader.integer(.requestsPerSecond) ?? (mode == .live ? 25 : 0)
        auditedCallsPerMinute = reader.integer(.auditedCallsPerMinute) ?? 10
        callsPerAddressPerSecond = reader.integer(.callsPerAddressPerSecond) ?? 50
        enforceInSandbox = reader.flag(.enforceInSandbox) ?? false
        sendsPerSession = reader.integer(.sendsPerSession) ?? rules.sendsPerSession
        numberEntriesPerSession = reader.integer(.numberEntriesPerSession) ?? rules.numberEntriesPerSession
        otpAttemptsWithRetry = reader.integer(.attemptsWithRetry) ?? rules.otpAttemptsWithRetry
        var over = Limits.OverSessions()
        func set(_ member: WritableKeyPath<Limits.OverSessions, Int>, _ key: ConfigurationKey) {
            if let value = reader.integer(key) { over[keyPath: member] = value }
        }
        set(\.sendsPerQuarterHour, .sendsPerQuarterHour)
        set(\.sendsPerDay, .sendsPerDay)
        if mode != .live { over.secondsBetweenSends = 0 }
        set(\.secondsBetweenSends, .secondsBetweenSends)
        if mode == .live, over.secondsBetweenSends == 0 {
            reader.refuse(.secondsBetweenSends, "must be at least 1 in live: one message at a time goes to a number")
        }
        let sizes = BucketSizes()
        over.sizes = BucketSizes(
            address: reader.integer(.unansweredPerAddress) ?? Int(sizes.address.start),
            network: reader.integer(.unansweredPerNetwork) ?? Int(sizes.network.start),
            prefix: reader.integer(.unansweredPerPrefix) ?? Int(sizes.prefix.start),
            country: reader.integer(.unansweredPerCountry) ?? Int(sizes.country.start))
        over.knownNetworks = reader.addressRanges(.knownNetworks)
        set(\.startsPerAddressPerTenMinutes, .startsPerAddressPerTenMinutes)
        set(\.startsPerPersonPerDay, .startsPerPersonPerDay)
        set(\.wrongCodesPerHour, .wrongCodesPerHour)
        set(\.wrongCodesPerDay, .wrongCodesPerDay)
        set(\.failedClaimsPerHour, .failedClaimsPerHour)
        set(\.failedClaimsPerDay, .failedClaimsPerDay)
        set(\.failuresInARow, .failuresInARow)
        overSessions = over
        unanswered = Unanswered(
            address: Int(over.sizes.address.start), network: Int(over.sizes.network.start),
            prefix: Int(over.sizes.prefix.start), country: Int(over.sizes.country.start))
        let lines = reader.isSet(.lineTypes) ? reader.list(.lineTypes) : []
        lineTypes = lines.isEmpty ? nil : NumberKind.reachable(names: lines)
        if !lines.isEmpty, lineTypes == nil {
            reader.refuse(.lineTypes, "must be \(NumberKind.demandOfReachable)")
        }
        retentionSeconds = reader.integer(.retention) ?? Int(rules.retention.components.seconds)
    }
}

extension Configuration.Sandbox {
    fileprivate init(_ reader: inout ConfigurationReader) {
        usersFile = reader.text(.usersFile) ?? BuiltInPath.sandboxUsers
        unknownNumbers = reader.text(.unknownNumbers).flatMap(UnknownNumbers.init) ?? .refuse
        flowByOrigin = reader.flag(.flowByOrigin) ?? true
        clients = []
        guard let object = reader.object(.clients) else {
            if reader.isSet(.clients) { reader.refuse(.clients, ConfigurationKey.clients.demand) }
            return
        }
        for member in object.members {
            if let client = Configuration.SandboxClient(&reader, member) { clients.append(client) }
        }
        let keys = clients.flatMap { client in
            [client.apiKey?.text, client.sdkKey?.text, client.application?.key].compactMap { $0.map { ByteText($0) } }
        }
        if Set(keys).count < keys.count { reader.refuse(.clients, "no two may have the same key") }
    }
}

extension Configuration.Texts {
    static func defect(ofBrand brand: String) -> String? {
        brand.utf8.count <= 64 && Person.isPrintable(brand)
            ? nil : "must have 1 to 64 bytes without control characters"
    }
}

extension Configuration.App {
    static func defect(ofFinalTarget url: String) -> String? {
        (try? FinalTargetURL(url)) == nil
            ? "must be an https:// URL of at most 128 of A-Z a-z 0-9 - . _ + = / : ?; http only on loopback in sandbox"
            : nil
    }
}

extension Configuration.Webhooks {
    static let loopback = (try? AddressRanges(list: "127.0.0.0/8,::1")) ?? AddressRanges()
}
