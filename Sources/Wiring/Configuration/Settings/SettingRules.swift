internal import Possession
internal import Text

/// Rules for settings that depend on each other, and for parts of the configuration that only some settings need.
enum SettingRules {
    typealias Rule = @Sendable (inout Configuration, inout ConfigurationReader) -> Void

    /// Each rule runs right after the setting of that path is read. All settings that the rule needs are read by then.
    static let bySetting: [String: Rule] = [
        "mode": mode, "server.operationsPort": operations, "server.proxyProtocol": proxies,
        "server.defaultRegion": listener, "server.publicUrl": publicURL, "server.hstsSeconds": certificates,
        "server.redirectPort": https, "data.changesPerCommit": data, "database.allowNoStandby": database,
        "messaging.channels": routes,
        "identity.circuitPauseSeconds": identity, "reputation.circuitPauseSeconds": reputation,
        "limits.secondsBetweenSends": pauses, "limits.unansweredPerCountry": sizes,
        "onboarding.acceptPlain": onboarding,
    ]

    private static func mode(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if !reader.isSet(.mode) {
            let hint = reader.hasFile ? "" : "; no configuration is named: give --config, or set HOLDFAST_CONFIG"
            reader.refuse(.mode, "missing; " + ConfigurationKey.mode.demand + hint)
        }
        guard reader.mode == .live else { return }
        configuration.sandbox = nil
        let others = ConfigurationKey.all.filter(\.isForSandboxOnly) + ["limits.enforceInSandbox"]
        for key in others where reader.isSet(key) {
            reader.refuse(key, "a live configuration must not have sandbox settings")
        }
    }

    /// A live server always has a listener for operators. A sandbox has one if its host or port is set, or if callers
    /// speak TLS, because probes speak plain HTTP.
    private static func operations(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if let host = configuration.server.operations?.host, !IPLiteral.isAddress(host) {
            reader.refuse("server.operationsHost", "must be an IP address")
        }
        let wanting: [ConfigurationKey] = [
            "server.operationsHost", "server.operationsPort", "server.tlsCertificateFile",
        ]
        if reader.mode != .live, !wanting.contains(where: { reader.isSet($0) }) {
            configuration.server.operations = nil
        }
    }

    private static func proxies(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if configuration.server.proxyProtocol, configuration.server.trustedProxies.isEmpty {
            reader.refuse("server.proxyProtocol", "names no proxy: set server.trustedProxies")
        }
    }

    private static func listener(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        let server = configuration.server
        if server.hosts.isEmpty { reader.refuse("server.host", "must name localhost or IP addresses") }
        for host in server.hosts where host != "localhost" && !IPLiteral.isAddress(host) {
            reader.refuse("server.host", "the entry '\(host)' must be localhost or an IP address")
        }
        let region = server.defaultRegion.utf8
        if region.count != 2 || !region.allSatisfy({ (65...90).contains($0) }) {
            reader.refuse("server.defaultRegion", "must be two capital letters, such as US")
        }
        if let operations = server.operations, operations.port == server.port, server.port != 0 {
            reader.refuse("server.operationsPort", "must differ from server.port")
        }
    }

    private static func publicURL(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if reader.mode == .live && !reader.isSet(.publicURL) {
            reader.refuse(.publicURL, "missing; a live configuration must set it")
        }
    }

    private static func certificates(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        let ofClients: [ConfigurationKey] = ["server.tlsClientCertificates", "server.tlsClientNameFrom"]
        guard reader.isSet("server.tlsCertificateFile") else {
            configuration.server.tls = nil
            let others = ["server.tlsKeyFile", "server.tlsClientCaFile"] + ofClients + ["server.hstsSeconds"]
            for key in others where reader.isSet(key) {
                reader.refuse(key, "is of no use without server.tlsCertificateFile")
            }
            return
        }
        if !reader.isSet("server.tlsKeyFile") {
            reader.refuse("server.tlsKeyFile", "missing; server.tlsCertificateFile needs it")
        }
        guard !reader.isSet("server.tlsClientCaFile") else { return }
        for key in ofClients where reader.isSet(key) {
            reader.refuse("server.tlsClientCaFile", "missing; \(key.path) needs it")
        }
    }

    private static func https(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        let server = configuration.server
        if server.tls != nil, server.publicURL?.hasPrefix("http://") == true {
            reader.refuse(.publicURL, "must begin with https://, as server.tlsCertificateFile is set")
        }
        guard let port = server.redirectPort else { return }
        if server.tls == nil {
            reader.refuse("server.redirectPort", "there is no https to redirect to: set server.tlsCertificateFile")
        }
        if port != 0, port == server.port || port == server.operations?.port {
            reader.refuse("server.redirectPort", "must differ from server.port and server.operationsPort")
        }
    }

    private static func data(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if !reader.isSet(.dataDirectory) { reader.refuse(.dataDirectory, "missing; set it or give --data") }
    }

    private static func database(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if reader.isSet("database.url") { return }
        configuration.database = nil
        for key in ConfigurationKey.all where key.path.hasPrefix("database.") && reader.isSet(key) {
            reader.refuse(key, "has no effect without database.url")
        }
    }

    private static func routes(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if reader.mode == .sandbox, configuration.messaging.routesFile != nil {
            reader.refuse(
                "messaging.routesFile", "the sandbox plays the carrier itself, and nothing leaves the machine")
        }
    }

    private static func identity(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if let defect = configuration.identity.urlDefect { reader.refuse("identity.url", defect) }
        if let defect = configuration.identity.lookupURLDefect { reader.refuse("identity.lookupUrl", defect) }
        let (hasURL, hasLookup) = (reader.isSet("identity.url"), reader.isSet("identity.lookupUrl"))
        let hasSecret = reader.isSet("identity.secretFile")
        if hasURL && !hasSecret { reader.refuse("identity.secretFile", "missing; identity.url needs it") }
        if hasLookup && !hasURL && !hasSecret {
            reader.refuse("identity.secretFile", "missing; identity.lookupUrl needs it")
        }
        if hasSecret && !hasURL && !hasLookup {
            reader.refuse("identity.url", "missing; identity.secretFile is for it")
        }
    }

    private static func reputation(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        let (hasURL, hasSecret) = (reader.isSet("reputation.url"), reader.isSet("reputation.secretFile"))
        if hasURL, reader.mode == .sandbox {
            reader.refuse("reputation.url", "the users file has the standing of numbers")
        }
        if let defect = configuration.reputation.urlDefect { reader.refuse("reputation.url", defect) }
        if hasURL && !hasSecret { reader.refuse("reputation.secretFile", "missing; reputation.url needs it") }
        if hasSecret && !hasURL { reader.refuse("reputation.url", "missing; reputation.secretFile is for it") }
    }

    private static func pauses(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if reader.mode == .live, configuration.limits.overSessions.secondsBetweenSends == 0 {
            reader.refuse(
                "limits.secondsBetweenSends", "must be at least 1 in live: one message at a time goes to a number")
        }
    }

    /// Derives the sizes of all buckets from four of them.
    private static func sizes(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        let most = configuration.limits.unanswered
        configuration.limits.overSessions.sizes = BucketSizes(
            address: most.address, network: most.network, prefix: most.prefix, country: most.country)
    }

    private static func onboarding(_ configuration: inout Configuration, _ reader: inout ConfigurationReader) {
        if configuration.sandbox == nil, configuration.onboarding.acceptsPlain, configuration.app.clientID == nil {
            reader.refuse("onboarding.acceptPlain", "needs app.clientId, the API client of such calls")
        }
    }
}
