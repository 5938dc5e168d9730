package import Outbound
package import Sandbox
package import Engine
package import Possession
package import SurfaceKit
package import Text

/// All settings of a Holdfast process, read once and checked together.
///
/// The names, units, ranges and defaults are in `Setting.all`. The values below are placeholders until that table is
/// read.
package struct Configuration: Sendable, Equatable {
    package enum Mode: String, Sendable { case sandbox, live }

    package struct Server: Sendable, Equatable {
        package var hosts: [String] = []
        package var port = 0
        /// Without a slash at the end; `nil`: sandbox mode, where the URL is made from the port in use.
        package var publicURL: String?
        package var maxBodyBytes = 0
        /// Further host names by which callers reach the server, besides those of its public URLs, in lower case.
        package var hostNames: [String] = []
        /// How long `/readyz` reports not ready before the server refuses connections.
        package var drainNoticeSeconds = 0
        package var drainSeconds = 0
        package var loops = 0
        package var maxConnections = 0
        package var maxConnectionsPerAddress = 0
        /// The idle time after which a trusted proxy's connection is closed.
        package var keepAliveSeconds = 0
        /// The most bytes that all connections buffer together.
        package var maxBufferedBytes = 0
        /// The most event streams and long polls together.
        package var maxStreams = 0
        package var maxStreamsPerAddress = 0
        /// The listener for operators and probes; `nil`: they use the public listener.
        package var operations: Operations?
        /// Whether `/metrics` is on the public listener.
        package var publicMetrics = false
        /// Whether `/docs` and `/openapi.json` are on the public listener.
        package var publicDocs = false
        /// Addresses of proxies whose `X-Forwarded-For` is trusted.
        package var trustedProxies = AddressRanges()
        /// Whether connections of these proxies begin with a PROXY protocol header.
        package var proxyProtocol = false
        package var defaultRegion = ""
        /// `nil`: callers speak plain HTTP.
        package var tls: TLS?
        /// The port that redirects browsers from http to https; `nil`: there is none.
        package var redirectPort: Int?

        /// Settings for TLS on the public listener.
        package struct TLS: Sendable, Equatable {
            package var certificateFile = ""
            package var keyFile = ""
            /// `nil`: clients are not asked for a certificate.
            package var clientAuthoritiesFile: String?
            package var needsClientCertificates = false
            /// The kind of name in a certificate that contains the API client's id.
            package var clientNameFrom = ClientCertificates.Name.commonName
            /// 0: browsers are not told to keep using https.
            package var strictTransportSeconds = 0
        }

        /// The listener for operators.
        package struct Operations: Sendable, Equatable {
            package var host = ""
            package var port = 0
        }

        /// Whether only this machine can reach it.
        package var isLoopback: Bool {
            hosts.allSatisfy { $0 == "localhost" || $0 == "::1" || $0.hasPrefix("127.") }
        }
    }

    /// Settings for reading numbers.
    package struct Numbers: Sendable, Equatable {
        package enum UnknownRanges: String, Sendable { case allow, refuse }

        /// `nil`: the built-in plan.
        package var planFile: String?
        package var unknownRanges = UnknownRanges.allow
    }

    package struct Data: Sendable, Equatable {
        package var directory = ""
        package var migrations = ""
        package var changesPerCommit = 0
    }

    /// Settings of a PostgreSQL.
    package struct Database: Sendable, Equatable {
        package var url = ""
        package var passwordFile: String?
        /// `nil`: the authorities of the system.
        package var authoritiesFile: String?
        /// `nil`: the server's role owns the tables.
        package var ownerURL: String?
        package var ownerPasswordFile: String?
        package var lanes = 0
        package var allowsNoStandby = false
    }

    package struct Keys: Sendable, Equatable {
        package var masterKeyFile = ""
        package var rotationDays = 0
        package var sealingRotationDays = 0
    }

    package struct Audit: Sendable, Equatable {
        package var retentionDays = 0
    }

    package struct Codes: Sendable, Equatable {
        package var length = 0
        package var lifetimeSeconds = 0
    }

    package struct Links: Sendable, Equatable {
        /// Without a slash at the end; `nil`: the server's public URL.
        package var publicURL: String?
        package var lifetimeSeconds = 0
    }

    /// Texts of messages.
    package struct Texts: Sendable, Equatable {
        /// `nil`: the built-in texts, in English.
        package var file: String?
        package var brand: String?
        /// Whether characters that GSM-7 lacks are replaced by similar ones in an SMS.
        package var lookalikes = false
    }

    package struct Webhooks: Sendable, Equatable {
        package var retentionDays = 0
        /// The limit for a client's events and deliveries together.
        package var maxBytesPerClient = 0
        /// Networks whose receivers may be called although they are not on the public Internet.
        package var allowedNetworks = AddressRanges()
        package var ports: Set<Int> = []
        /// The proxy through which all receivers are called.
        package var proxyURL: String?
    }

    package struct MobileAuth: Sendable, Equatable {
        package var timeoutSeconds = 0
        package var circuitFailures = 0
        package var circuitPauseSeconds = 0
        package var operators: [NetworkOperator] = []
    }

    /// A mobile operator that speaks CAMARA Number Verification.
    package struct NetworkOperator: Sendable, Equatable {
        package var name: String
        package var authorizeURL: String
        package var tokenURL: String
        package var apiURL: String
        /// This server's client id at the operator.
        package var clientID: String
        /// The addresses of the operator's phones, as CIDR blocks.
        package var networks: [String]
        /// Mobile networks, by MCC and MNC, whose tokens the operator accepts.
        package var plmns: [String]
    }

    /// Settings for sending messages.
    package struct Messaging: Sendable, Equatable {
        /// The file with gateways and routes; `nil`: no messages can be sent.
        package var routesFile: String?
        /// The directory with the files that describe kinds of gateways.
        package var presets = ""
        /// Channels for a code to a number, in order of preference.
        package var channels: [OutgoingMessage.Channel] = []
        /// How long a call waits for a carrier.
        package var waitSeconds = 0
        /// Whether an undelivered message is sent again by the next route.
        package var nextRoute = false
    }

    package struct App: Sendable, Equatable {
        /// `nil`: there is no app surface.
        package var clientID: ClientID?
        package var allowedOrigins: [String] = []
        package var acceptAuthID = false
        /// Whether a run with limits over sessions allows another try with the OTP.
        package var allowsOTPRetry = false
        /// The target of links in a desktop run that names no final target; `nil`: such a run is refused.
        package var finalTargetURL: String?
    }

    /// Settings for apps that activate devices.
    package struct Onboarding: Sendable, Equatable {
        package var acceptsPlain = false
    }

    /// The source of people: the operator's own services, or the import.
    package struct Identity: Sendable, Equatable {
        /// `nil`: there is no service.
        package var url: String?
        /// The URL of the service that finds people by credentials; `nil`: there is no service.
        package var lookupURL: String?
        /// Keys by which imported people are found if there is no service. Without keys, no person is found.
        package var keys: [IdentificationKey] = []
        /// The kinds of credentials in those keys.
        package var kinds = CredentialKinds()
        /// Set if either URL is set.
        package var secretFile: String?
        package var timeoutSeconds = 0
        package var circuitFailures = 0
        package var circuitPauseSeconds = 0

        /// Keys and kinds together, as in the setting.
        var credentials: Credentials {
            get { Credentials(keys: keys, kinds: kinds) }
            set { (keys, kinds) = (newValue.keys, newValue.kinds) }
        }

        struct Credentials: Sendable {
            var keys: [IdentificationKey] = []
            var kinds = CredentialKinds()
        }
    }

    /// The reputation source for numbers: the operator's own service, mobile operators, or neither.
    package struct Reputation: Sendable, Equatable {
        /// The URL of the operator's own service; `nil`: there is no service.
        package var url: String?
        /// Set if `url` is set.
        package var secretFile: String?
        package var operators: [ReputationOperator] = []
        package var whenUnknown = ReputationCheck.WhenUnknown.fail
        package var simSwapHours = 0
        package var timeoutSeconds = 0
        package var circuitFailures = 0
        package var circuitPauseSeconds = 0

        package var isAsked: Bool { url != nil || !operators.isEmpty }
    }

    /// A mobile operator that speaks CAMARA SIM Swap or Number Recycling.
    package struct ReputationOperator: Sendable, Equatable {
        package var name: String
        package var tokenURL: String
        package var clientID: String
        package var simSwapURL: String?
        package var recyclingURL: String?
        /// Prefixes of the operator's numbers.
        package var prefixes: [String]
        package var tokenWay: ReputationOperatorSettings.TokenWay
        package var simSwapCall: ReputationOperatorSettings.SIMSwapCall
    }

    package struct Limiting: Sendable, Equatable {
        package var requestsPerSecond = 0
        package var auditedCallsPerMinute = 0
        package var callsPerAddressPerSecond = 0
        package var enforceInSandbox = false
        package var sendsPerSession = 0
        package var numberEntriesPerSession = 0
        package var otpAttemptsWithRetry = 0
        package var overSessions = Possession.Limits.OverSessions()
        package var unanswered = Unanswered()
        /// `nil`: all line types that can get messages.
        package var lineTypes: [NumberKind]?
        package var retentionSeconds = 0

        /// How many messages may stay unanswered at first. The sizes in `overSessions` follow from these numbers. 0: no
        /// limit.
        package struct Unanswered: Sendable, Equatable {
            package var address = 0
            package var network = 0
            package var prefix = 0
            package var country = 0
        }
    }

    package struct Sandbox: Sendable, Equatable {
        package enum UnknownNumbers: String, Sendable { case refuse, simulate }

        package var usersFile = ""
        package var unknownNumbers = UnknownNumbers.refuse
        package var flowByOrigin = false
        package var clients: [SandboxClient] = []
    }

    /// An API client that the configuration file defines, with its secret.
    package struct SandboxClient: Sendable, Equatable {
        package var id: String
        package var secret: Secret
        /// Authenticates a backend without another credential; `nil`: there is none.
        package var apiKey: Secret?
        /// Identifies the client in apps.
        package var sdkKey: Secret?
        /// The keys for its apps; `nil`: the operator may add keys.
        package var application: SandboxApplication?
        /// The same rules as in `clients add`. Unless the file says otherwise, Mobile Auth and changes of the number
        /// are on, and every final target is allowed (contract section 8).
        package var rules: TenantRules
        /// Products whose sandbox users the client has; `nil`: all products.
        package var products: Set<SandboxProduct>?
    }

    package struct Log: Sendable, Equatable {
        package enum Format: String, Sendable, CaseIterable { case json, text }

        package var level = ""
        /// `nil`: text on a terminal, JSON elsewhere.
        package var format: Format?
        package var requests = false
        package var refusalsPerSecond = 0
    }

    package var mode = Mode.sandbox
    package var server = Server()
    package var numbers = Numbers()
    package var data = Data()
    /// `nil`: SQLite, in the data directory.
    package var database: Database?
    package var keys = Keys()
    package var otp = Codes()
    package var link = Links()
    package var texts = Texts()
    package var audit = Audit()
    package var webhooks = Webhooks()
    package var mobileAuth = MobileAuth()
    package var messaging = Messaging()
    package var spend = SpendGuard()
    package var app = App()
    package var onboarding = Onboarding()
    package var identity = Identity()
    package var reputation = Reputation()
    package var limits = Limiting()
    /// Unknown `HOLDFAST_` variables, each with the closest known name.
    package var foreignVariables: [String] = []
    /// Set only in sandbox mode.
    package var sandbox: Sandbox?
    package var log = Log()
}

/// A configuration with at least one mistake. It lists every mistake.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let mistakes: [String]

    package var description: String {
        let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
        return "configuration: \(count)\n" + mistakes.map { "  \($0)" }.joined(separator: "\n")
    }
}
