package import Outbound
package import Sandbox
package import Possession
package import SurfaceKit
package import Text

/// Everything a Holdfast process is told, read once, checked as a whole.
///
/// The names, units, ranges and defaults are in `Setting.all`. The values below hold only until that table is read.
package struct Configuration: Sendable, Equatable {
    package enum Mode: String, Sendable { case sandbox, live }

    package struct Server: Sendable, Equatable {
        package var hosts: [String] = []
        package var port = 0
        /// Without a slash at the end; `nil` in sandbox: made from the port that was bound.
        package var publicURL: String?
        package var maxBodyBytes = 0
        /// Names by which callers reach the server beside those of its public URLs, in lower case.
        package var hostNames: [String] = []
        /// How long `/readyz` says no before connections are refused.
        package var drainNoticeSeconds = 0
        package var drainSeconds = 0
        package var loops = 0
        package var maxConnections = 0
        package var maxConnectionsPerAddress = 0
        /// Idle time after which the connection of a trusted proxy is closed.
        package var keepAliveSeconds = 0
        /// Bytes that all connections hold together.
        package var maxBufferedBytes = 0
        /// Event streams and long polls altogether.
        package var maxStreams = 0
        package var maxStreamsPerAddress = 0
        /// Where operators and probes call; `nil`: on the public listener.
        package var operations: Operations?
        /// `/metrics` on the public listener.
        package var publicMetrics = false
        /// `/docs` and `/openapi.json` on the public listener.
        package var publicDocs = false
        /// Addresses whose `X-Forwarded-For` is believed.
        package var trustedProxies = AddressRanges()
        /// Whether their connections begin with a header of the PROXY protocol.
        package var proxyProtocol = false
        package var defaultRegion = ""
        /// `nil`: callers speak plain HTTP.
        package var tls: TLS?
        /// Where browsers are led from http to https; `nil`: nowhere.
        package var redirectPort: Int?

        /// Settings that the public listener needs to speak TLS.
        package struct TLS: Sendable, Equatable {
            package var certificateFile = ""
            package var keyFile = ""
            /// `nil`: no client is asked for a certificate.
            package var clientAuthoritiesFile: String?
            package var needsClientCertificates = false
            /// The name in a certificate that is the id of the API client.
            package var clientNameFrom = ClientCertificates.Name.commonName
            /// 0: browsers are not told to stay with https.
            package var strictTransportSeconds = 0
        }

        /// The listener for operators.
        package struct Operations: Sendable, Equatable {
            package var host = ""
            package var port = 0
        }

        /// Reachable from this machine alone.
        package var isLoopback: Bool {
            hosts.allSatisfy { $0 == "localhost" || $0 == "::1" || $0.hasPrefix("127.") }
        }
    }

    /// How numbers are read.
    package struct Numbers: Sendable, Equatable {
        package enum UnknownRanges: String, Sendable { case allow, refuse }

        /// `nil`: the plan in the program.
        package var planFile: String?
        package var unknownRanges = UnknownRanges.allow
    }

    package struct Data: Sendable, Equatable {
        package var directory = ""
        package var migrations = ""
        package var changesPerCommit = 0
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
        /// Without a slash at the end; `nil`: the server's own.
        package var publicURL: String?
        package var lifetimeSeconds = 0
    }

    /// Texts of messages.
    package struct Texts: Sendable, Equatable {
        /// `nil`: the program's own, in English.
        package var file: String?
        package var brand: String?
        /// Whether an SMS has look-alikes of the characters that GSM-7 lacks.
        package var lookalikes = false
    }

    package struct Webhooks: Sendable, Equatable {
        package var retentionDays = 0
        /// The limit for events and deliveries together.
        package var maxBytesPerClient = 0
        /// Receivers there may be called, though they are none of the Internet's.
        package var allowedNetworks = AddressRanges()
        package var ports: Set<Int> = []
        /// Through which all receivers are called.
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
        /// Ours, as the operator knows us.
        package var clientID: String
        /// CIDR blocks of its phones' addresses.
        package var networks: [String]
        /// Mobile networks, by MCC and MNC, whose tokens it takes.
        package var plmns: [String]
    }

    /// How messages leave.
    package struct Messaging: Sendable, Equatable {
        /// Gateways and routes; `nil`: nothing can be sent.
        package var routesFile: String?
        /// Directory of the files that describe kinds of gateways.
        package var presets = ""
        /// Ways that a code to a number may take, the preferred one first.
        package var channels: [OutgoingMessage.Channel] = []
        /// How long a call waits for a carrier.
        package var waitSeconds = 0
        /// Whether a message that was not delivered goes by the next route.
        package var nextRoute = false
    }

    package struct App: Sendable, Equatable {
        /// `nil`: the app surface is not there.
        package var clientID: ClientID?
        package var allowedOrigins: [String] = []
        package var acceptAuthID = false
        /// Allows another try with the OTP in runs where limits hold over sessions.
        package var allowsOTPRetry = false
        /// Where links of a desktop run lead that names no final target; `nil`: such a run is refused.
        package var finalTargetURL: String?
    }

    /// How apps are served that activate devices.
    package struct Onboarding: Sendable, Equatable {
        package var acceptsPlain = false
    }

    /// The source of people: the operator's own services, or the import.
    package struct Identity: Sendable, Equatable {
        /// `nil`: there is none.
        package var url: String?
        /// URL of the service that finds people by credentials; `nil`: there is none.
        package var lookupURL: String?
        /// Keys that imported people are found by where there is no service; without a key, they are not found.
        package var keys: [IdentificationKey] = []
        /// Kinds of the credentials of those keys.
        package var kinds = CredentialKinds()
        /// Set whenever one of the two is.
        package var secretFile: String?
        package var timeoutSeconds = 0
        package var circuitFailures = 0
        package var circuitPauseSeconds = 0

        /// Both, as the setting has them.
        var credentials: Credentials {
            get { Credentials(keys: keys, kinds: kinds) }
            set { (keys, kinds) = (newValue.keys, newValue.kinds) }
        }

        struct Credentials: Sendable {
            var keys: [IdentificationKey] = []
            var kinds = CredentialKinds()
        }
    }

    /// The source of the standing of numbers. At most one of service and operators is there.
    package struct Reputation: Sendable, Equatable {
        /// URL of the operator's own service; `nil`: there is none.
        package var url: String?
        /// Set whenever `url` is.
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
        /// `nil`: all that get messages at all.
        package var lineTypes: [NumberKind]?
        package var retentionSeconds = 0

        /// Messages that may go unanswered at first: the sizes of `overSessions` follow from them. 0: no limit.
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

    /// An API client that the file brings along, with its secret.
    package struct SandboxClient: Sendable, Equatable {
        package var id: String
        package var secret: Secret
        /// Lets a backend in by itself; `nil`: there is none.
        package var apiKey: Secret?
        /// Names the client in apps.
        package var sdkKey: Secret?
        /// The keys that its apps are built with; `nil`: the operator may give it keys.
        package var application: SandboxApplication?
        /// As `clients add` has them. Mobile Auth and a change of the number are on unless the file says otherwise, and any
        /// final target is allowed unless it names hosts (contract section 8).
        package var rules: TenantRules
        /// Products whose sandbox users the client has; `nil`: those of all products.
        package var products: Set<SandboxProduct>?
    }

    package struct Log: Sendable, Equatable {
        package enum Format: String, Sendable, CaseIterable { case json, text }

        package var level = ""
        /// `nil`: text on a terminal, else JSON.
        package var format: Format?
        package var requests = false
        package var refusalsPerSecond = 0
    }

    package var mode = Mode.sandbox
    package var server = Server()
    package var numbers = Numbers()
    package var data = Data()
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
    /// Variables that begin as the settings' do and are none, each with what was probably meant.
    package var foreignVariables: [String] = []
    /// Set exactly in sandbox mode.
    package var sandbox: Sandbox?
    package var log = Log()
}

/// A configuration with at least one mistake; every one of them is named.
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    package let mistakes: [String]

    package var description: String {
        let count = mistakes.count == 1 ? "1 mistake" : "\(mistakes.count) mistakes"
        return "configuration: \(count)\n" + mistakes.map { "  \($0)" }.joined(separator: "\n")
    }
}
