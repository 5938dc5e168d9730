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

// How each part is set from the configuration.

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
        // Two calls to the operator, and the phone's own way there and back.
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

    /// The limits of another configuration, as far as a running server can take them over (`Setting.Reload.inSameMode`).
    func reloaded(from wanted: Configuration) -> Possession.Limits {
        var limits = Possession.Limits(wanted)
        limits.own = own
        limits.retention = retention
        limits.channels = channels
        limits.sendsByNextRoute = sendsByNextRoute
        limits.mobileAuthChainTimeout = mobileAuthChainTimeout
        // Whether they are enforced is settled at the start.
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
        // A test's server without work ends at once. In live a client that was busy just now still has a moment (OPS-01).
        if configuration.mode == .sandbox, configuration.server.drainNoticeSeconds == 0 { drainGrace = .zero }
    }

    /// Limits of the listener that leads to https: short requests, answered at once.
    static func redirect(_ configuration: Configuration) -> HTTPServer.Limits {
        var limits = HTTPServer.Limits(configuration)
        limits.maxBodyBytes = 64 * 1024
        limits.maxConnections = min(1024, limits.maxConnections)
        limits.maxBufferedBytes = 4 * 1024 * 1024
        limits.keepAliveTimeout = .seconds(5)
        return limits
    }

    /// Limits of the listener for operators: a few callers, none of whom sends a body.
    static var operations: HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        limits.maxBodyBytes = 64 * 1024
        limits.maxConnections = 64
        limits.maxConnectionsPerAddress = 64
        limits.maxBufferedBytes = 4 * 1024 * 1024
        limits.shedsLoad = false
        return limits
    }

    /// Limits of the socket for an operator's commands.
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
    /// `nil` where no API client is named.
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
    /// Products of the sandbox clients that do not have all of them.
    var sandboxProducts: [ClientID: Set<SandboxProduct>] {
        var products: [ClientID: Set<SandboxProduct>] = [:]
        for client in sandbox?.clients ?? [] {
            if let id = ClientID(client.id) { products[id] = client.products }
        }
        return products
    }

    /// Audiences of the assertions by which this server shows operators who it is.
    var operatorTokenURLs: [String] { mobileAuth.operators.map(\.tokenURL) + reputation.operators.map(\.tokenURL) }

    /// In live always, in sandbox on request (contract section 8).
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
    /// Connections that leave enough descriptors for the database, for outbound calls and for operators, who must get in
    /// when callers have used up theirs (OPS-03).
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
    /// - Parameter publicURL: of this server, which no webhook calls; `nil` in sandbox, where it is made from a port.
    func webhookURLs(publicURL: String?) -> WebhookURLRule {
        WebhookURLRule(
            allowsLoopback: mode == .sandbox, ports: webhooks.ports, allowedNetworks: webhooks.allowedNetworks,
            ownAuthority: publicURL.flatMap(PublicURL.authority),
            ownReceiver: mode == .sandbox ? SandboxSurface.receiverPath : nil)
    }
}
