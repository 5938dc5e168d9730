internal import Sandbox
internal import ProveSurfaces
internal import SurfaceKit
internal import SandboxSurfaces
internal import Glibc
internal import HTTPServer
internal import Locks
internal import Logging
internal import Observation
internal import Possession
internal import Text

// The settings of each part, from the configuration.

extension Logger {
    init(_ configuration: Configuration, _ sink: LogSink) {
        let level = Logger.Level(rawValue: configuration.log.level) ?? .info
        sink.level.withLock { $0 = level }
        self.init(label: "holdfast", factory: { _ in JSONLogHandler(sink) })
    }
}

extension Possession.Limits {
    init(_ configuration: Configuration) {
        self.init()
        let limits = configuration.limits
        otpCodeLength = configuration.otp.length
        if configuration.mode == .live { leastCodeDigits = configuration.otp.length }
        channels = configuration.messaging.channels
        sendsByNextRoute = configuration.messaging.nextRoute
        otpLifetime = .seconds(configuration.otp.lifetimeSeconds)
        linkLifetime = .seconds(configuration.link.lifetimeSeconds)
        // Allow for two calls to the operator, and the phone's own way there and back.
        mobileAuthChainTimeout = .seconds(max(8, configuration.mobileAuth.timeoutSeconds * 2 + 3))
        sendsPerSession = limits.sendsPerSession
        numberEntriesPerSession = limits.numberEntriesPerSession
        otpAttemptsWithRetry = limits.otpAttemptsWithRetry
        retention = .seconds(limits.retentionSeconds)
        lineTypes = limits.lineTypes
        guard configuration.enforcesLimitsOverSessions else { return }
        overSessions = limits.overSessions
        overSessions?.spend = configuration.spend
    }

    /// The limits of a new configuration, as far as a running server can apply them (`Setting.Reload.inSameMode`).
    func reloaded(from wanted: Configuration) -> Possession.Limits {
        var limits = Possession.Limits(wanted)
        limits.own = own
        limits.retention = retention
        limits.channels = channels
        limits.sendsByNextRoute = sendsByNextRoute
        limits.mobileAuthChainTimeout = mobileAuthChainTimeout
        // Whether limits over sessions are enforced is decided only at the start.
        guard overSessions != nil else {
            limits.overSessions = nil
            return limits
        }
        limits.overSessions = wanted.limits.overSessions
        limits.overSessions?.spend = wanted.spend
        return limits
    }
}

extension HTTPServer.Limits {
    init(_ configuration: Configuration) {
        self.init()
        maxBodyBytes = configuration.server.maxBodyBytes
        maxConnections = min(configuration.server.maxConnections, Assembly.mostConnections)
        maxConnectionsPerAddress = configuration.server.maxConnectionsPerAddress
        maxBufferedBytes = configuration.server.maxBufferedBytes
        proxyKeepAliveTimeout = .seconds(configuration.server.keepAliveSeconds)
        // A test's server without work stops at once. A live server gives a recently active client a moment (OPS-01).
        if configuration.mode == .sandbox, configuration.server.drainNoticeSeconds == 0 { drainGrace = .zero }
    }

    /// Limits of the listener that redirects to https: short requests, answered at once.
    static func redirect(_ configuration: Configuration) -> HTTPServer.Limits {
        var limits = HTTPServer.Limits(configuration)
        limits.maxBodyBytes = 64 * 1024
        limits.maxConnections = min(1024, limits.maxConnections)
        limits.maxBufferedBytes = 4 * 1024 * 1024
        limits.keepAliveTimeout = .seconds(5)
        return limits
    }

    /// Limits of the listener for operators: few callers, and no request bodies.
    static var operations: HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.maxBodyBytes = 64 * 1024
        limits.maxConnections = 64
        limits.maxConnectionsPerAddress = 64
        limits.maxBufferedBytes = 4 * 1024 * 1024
        limits.shedsLoad = false
        return limits
    }

    /// Limits of the control socket for operators' commands.
    static var control: HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.shedsLoad = false
        return limits
    }
}

extension PlatformSurface.Settings {
    init(_ configuration: Configuration) {
        self.init()
        requestsPerSecond = configuration.limits.requestsPerSecond
        auditedCallsPerMinute =
            configuration.enforcesLimitsOverSessions ? configuration.limits.auditedCallsPerMinute : 0
        callsPerAddressPerSecond =
            configuration.enforcesLimitsOverSessions ? configuration.limits.callsPerAddressPerSecond : 0
        limitsFailedTokenCalls = configuration.enforcesLimitsOverSessions
        trustedProxies = configuration.server.trustedProxies
        tellsTokens = configuration.mode == .sandbox
        if let tls = configuration.server.tls, tls.clientAuthoritiesFile != nil {
            let name = tls.clientNameFrom
            certificates = tls.needsClientCertificates ? .required(by: name) : .optional(by: name)
        }
    }
}

extension AppSurface.Settings {
    /// `nil`: no API client is configured for apps.
    init?(_ configuration: Configuration, publicURL: String) {
        guard let tenant = configuration.app.clientID else { return nil }
        self.init(
            tenant: tenant, allowedOrigins: Set(configuration.app.allowedOrigins),
            acceptsLoopbackOrigins: configuration.mode == .sandbox, acceptsAuthID: configuration.app.acceptAuthID,
            publicURL: publicURL, trustedProxies: configuration.server.trustedProxies)
        finalTargetURL = configuration.app.finalTargetURL.flatMap { try? FinalTargetURL($0) }
        allowsOTPRetry = configuration.app.allowsOTPRetry
        flowByOrigin = configuration.sandbox?.flowByOrigin ?? false
    }
}

extension Configuration {
    /// The products of each sandbox client that does not have all products.
    var sandboxProducts: [ClientID: Set<SandboxProduct>] {
        var products: [ClientID: Set<SandboxProduct>] = [:]
        for client in sandbox?.clients ?? [] {
            if let id = ClientID(client.id) { products[id] = client.products }
        }
        return products
    }

    /// The audiences of the assertions with which this server authenticates to operators.
    var operatorTokenURLs: [String] { mobileAuth.operators.map(\.tokenURL) + reputation.operators.map(\.tokenURL) }

    /// Always on a live server; in a sandbox on request (contract section 8).
    var enforcesLimitsOverSessions: Bool { mode == .live || limits.enforceInSandbox }
}

extension Configuration.Sandbox.UnknownNumbers {
    var rule: SandboxNumbers.UnknownNumbers {
        switch self {
        case .refuse: .refuse
        case .simulate: .simulate
        }
    }
}

extension Assembly {
    /// The most connections that leave enough descriptors for the database, for outbound calls and for operators.
    /// Operators must get in even if callers have used up their connections (OPS-03).
    static var mostConnections: Int {
        var descriptors = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return .max }
        let limit = Int(clamping: descriptors.rlim_cur)
        return max(1, limit - max(48, min(256, limit / 4)))
    }

    static func loops(_ configuration: Configuration) -> Int {
        if configuration.server.loops > 0 { return configuration.server.loops }
        return max(1, min(64, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}

extension Configuration {
    /// - Parameter publicURL: of this server, which webhooks must not call; `nil`: a sandbox, whose URL depends on its
    ///   port.
    func webhookURLs(publicURL: String?) -> WebhookURLRule {
        WebhookURLRule(
            allowsLoopback: mode == .sandbox, ports: webhooks.ports, allowedNetworks: webhooks.allowedNetworks,
            ownAuthority: publicURL.flatMap(PublicURL.authority),
            ownReceiver: mode == .sandbox ? SandboxSurface.receiverPath : nil)
    }
}
