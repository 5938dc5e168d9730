internal import Engine
internal import Possession

extension Setting {
    /// Mobile operators (docs/configuration/services.md).
    static let ofMobileAuth: [Setting] = [
        Setting(
            "mobileAuth.timeoutSeconds", \.mobileAuth.timeoutSeconds, .integer(1...30), default: .value(3),
            "how long one call to a mobile operator may take"),
        Setting(
            "mobileAuth.circuitFailures", \.mobileAuth.circuitFailures, .integer(0...1_000),
            default: .byMode(live: 5, sandbox: 0),
            "failed calls in a row after which an operator is not called; 0: never"),
        Setting(
            "mobileAuth.circuitPauseSeconds", \.mobileAuth.circuitPauseSeconds, .integer(1...3_600),
            default: .value(30), "how long it is not called then"),
        Setting(
            "mobileAuth.operators", read: Configuration.readMobileOperators,
            printed: { $0.mobileAuth.printedOperators },
            "live: CAMARA operators by name, with authorizeUrl, tokenUrl, apiUrl, clientId, networks, plmns"),
    ]

    /// Apps.
    static let ofApps: [Setting] = [
        Setting(
            "app.clientId", \.app.clientID, .clientID,
            default: .following("none; in sandbox the API client sandbox, where there is one") {
                $0.sandbox?.clients.first { $0.id == "sandbox" }.flatMap { ClientID($0.id) }
            }, "API client of runs of /initialize; without one, there are none"),
        Setting(
            "app.allowedOrigins", \.app.allowedOrigins, .origins, default: .value([]),
            "web origins that may call with cookies; in sandbox also every loopback origin"),
        Setting(
            "app.finalTargetUrl", \.app.finalTargetURL, .text.refusing(Configuration.App.defect(ofFinalTarget:)),
            "where the link of a desktop flow leads, unless the call says it"),
        Setting(
            "app.acceptAuthId", \.app.acceptAuthID, .flag, default: .byMode(sandbox: true, live: false),
            "whether authId is enough to open a run; it is no secret: finalTargetUrl has it too"),
        Setting(
            "app.allowOtpRetry", \.app.allowsOTPRetry, .flag, default: .value(true),
            "whether a run of /initialize may enter limits.otpAttemptsWithRetry codes, or one; without limits over sessions the call decides"
        ),
        Setting(
            "onboarding.acceptPlain", \.onboarding.acceptsPlain, .flag, default: .byMode(sandbox: true, live: false),
            "whether onboarding takes unencrypted calls, for the API client of app.clientId"),
    ]

    /// The source of people.
    static let ofIdentity: [Setting] = [
        Setting(
            "identity.url", \.identity.url, .text,
            "your service that knows the people behind numbers, instead of the imported people"),
        Setting(
            "identity.lookupUrl", \.identity.lookupURL, .text,
            "your service that finds people by the credentials of onboarding"),
        Setting(
            "identity.keys", \.identity.credentials, .credentials, default: .value(.init()),
            "credentials by which onboarding finds imported people: email:address+birthDate is a key of two names, the first has e-mail addresses; :number has phone numbers"
        ),
        Setting(
            "identity.secretFile", \.identity.secretFile, .path,
            default: .unset("none, must be set with identity.url or identity.lookupUrl"),
            "the secret shared with them, 32 to 1024 visible characters; mode 0600"),
        Setting(
            "identity.timeoutSeconds", \.identity.timeoutSeconds, .integer(1...30), default: .value(3),
            "how long one call to them may take"),
        Setting(
            "identity.circuitFailures", \.identity.circuitFailures, .integer(0...1_000), default: .value(5),
            "failed calls in a row after which it is not called; 0: never"),
        Setting(
            "identity.circuitPauseSeconds", \.identity.circuitPauseSeconds, .integer(1...3_600), default: .value(30),
            "how long it is not called then"),
    ]

    /// The reputation source for numbers.
    static let ofReputation: [Setting] = [
        Setting(
            "reputation.url", \.reputation.url, .text,
            "live: your service that knows the standing of numbers, instead of reputation.operators"),
        Setting(
            "reputation.secretFile", \.reputation.secretFile, .path,
            default: .unset("none, must be set with reputation.url"),
            "the secret shared with it, 32 to 1024 visible characters; mode 0600"),
        Setting(
            "reputation.operators", read: Configuration.readReputationOperators,
            printed: { $0.reputation.printedOperators },
            "live: CAMARA operators by name, with tokenUrl, clientId, prefixes, simSwapUrl, numberRecyclingUrl, tokenWay, simSwapCall"
        ),
        Setting(
            "reputation.whenUnknown", \.reputation.whenUnknown, .choice(.fail, .pass), default: .value(.fail),
            "how an unknown standing counts"),
        Setting(
            "reputation.simSwapHours", \.reputation.simSwapHours, .integer(1...2_400), default: .value(24),
            "a SIM swap younger than this is a bad standing"),
        Setting(
            "reputation.timeoutSeconds", \.reputation.timeoutSeconds, .integer(1...30), default: .value(3),
            "how long the answer about one number may take"),
        Setting(
            "reputation.circuitFailures", \.reputation.circuitFailures, .integer(0...1_000), default: .value(5),
            "failed answers in a row after which an operator or the service is not called; 0: never"),
        Setting(
            "reputation.circuitPauseSeconds", \.reputation.circuitPauseSeconds, .integer(1...3_600),
            default: .value(30), "how long it is not called then"),
    ]
}
