internal import API
internal import Glibc
internal import HTTPServer
internal import Logging
internal import Possession

// How each part is set from the configuration.

extension Logger {
    init(_ configuration: Configuration, _ sink: LogSink) {
        let level = Logger.Level(rawValue: configuration.log.level) ?? .info
        self.init(label: "holdfast", factory: { _ in JSONLogHandler(sink, level: level) })
    }
}

extension Possession.Limits {
    init(_ configuration: Configuration) {
        self.init()
        let limits = configuration.limits
        otpCodeLength = configuration.otp.length
        otpLifetime = .seconds(configuration.otp.lifetimeSeconds)
        linkLifetime = .seconds(configuration.link.lifetimeSeconds)
        // Two calls to the operator, and the phone's own way there and back.
        mobileAuthChainTimeout = .seconds(max(8, configuration.mobileAuth.timeoutSeconds * 2 + 3))
        sendsPerSession = limits.sendsPerSession
        numberEntriesPerSession = limits.numberEntriesPerSession
        otpAttemptsWithRetry = limits.otpAttemptsWithRetry
        retention = .seconds(limits.retentionSeconds)
        guard configuration.enforcesLimitsOverSessions else { return }
        var number = PerNumber()
        number.sendsPerQuarterHour = limits.sendsPerNumberPerQuarterHour
        number.sendsPerDay = limits.sendsPerNumberPerDay
        number.wrongCodesPerHour = limits.wrongCodesPerNumberPerHour
        number.wrongCodesPerDay = limits.wrongCodesPerNumberPerDay
        perNumber = number
    }
}

extension HTTPServer.Limits {
    init(_ configuration: Configuration) {
        self.init()
        maxBodyBytes = configuration.server.maxBodyBytes
        maxConnections = configuration.server.maxConnections
        maxConnectionsPerAddress = configuration.server.maxConnectionsPerAddress
    }
}

extension PlatformSurface.Settings {
    init(_ configuration: Configuration) {
        self.init()
        requestsPerSecond = configuration.limits.requestsPerSecond
        limitsFailedTokenCalls = configuration.enforcesLimitsOverSessions
        trustedProxies = configuration.server.trustedProxies
    }
}

extension AppSurface.Settings {
    /// `nil` where no API client is named.
    init?(_ configuration: Configuration, publicURL: String) {
        guard let tenant = configuration.app.clientID else { return nil }
        self.init(
            tenant: tenant, allowedOrigins: Set(configuration.app.allowedOrigins),
            acceptsLoopbackOrigins: configuration.mode == .sandbox, acceptsAuthID: configuration.app.acceptAuthID,
            publicURL: publicURL, trustedProxies: configuration.server.trustedProxies)
        finalTargetURL = configuration.app.finalTargetURL.flatMap { try? FinalTargetURL($0) }
        flowByOrigin = configuration.sandbox?.flowByOrigin ?? false
    }
}

extension Configuration {
    /// Of the sandbox clients that have not all of them.
    var sandboxProducts: [ClientID: Set<SandboxProduct>] {
        var products: [ClientID: Set<SandboxProduct>] = [:]
        for client in sandbox?.clients ?? [] {
            if let id = ClientID(client.id) { products[id] = client.products }
        }
        return products
    }

    /// In live always, in sandbox on request (contract section 8).
    var enforcesLimitsOverSessions: Bool { mode == .live || limits.enforceInSandbox }
}

extension Configuration.Sandbox.UnknownNumbers {
    var rule: NumberDirectory.UnknownNumbers {
        switch self {
        case .refuse: .refuse
        case .simulate: .simulate
        }
    }
}

extension Assembly {
    static func loops(_ configuration: Configuration) -> Int {
        if configuration.server.loops > 0 { return configuration.server.loops }
        return max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}
