extension Setting {
    /// All settings, in the order of `check-config --settings`.
    static let all =
        ofServer + ofData + ofMessages + ofWebhooks + ofMobileAuth + ofApps + ofIdentity + ofReputation + ofCallers
        + ofSessions + ofRetention + ofSandbox + ofLog + ofGateways + ofGuard

    /// The order in which settings are read and mistakes are listed. A setting comes after those on which its default
    /// depends.
    static let inReadingOrder = moved(
        [
            ["server.defaultRegion", "server.publicUrl"], ["link.lifetimeSeconds", "link.publicUrl"],
            ["messaging.lookalikes", "messaging.brand"], ["messaging.nextRoute", "messaging.channels"],
            ["limits.failuresInARow", "limits.lineTypes"],
            [
                "sandbox.clients", "app.acceptAuthId", "app.allowOtpRetry", "app.allowedOrigins", "app.finalTargetUrl",
                "app.clientId", "onboarding.acceptPlain",
            ],
        ], in: bySection)

    /// The order in which `check-config` prints them.
    static let inReportOrder = moved(
        [
            ["mobileAuth.operators", "messaging.textsFile", "messaging.brand", "messaging.lookalikes"],
            ["webhooks.allowedNetworks", "webhooks.proxyUrl"], ["log.requests", "log.format"],
        ], in: bySection)

    /// Moves settings of gateways and costs after those of operators, and objects to the end of their section.
    private static let bySection = moved(
        [
            ["server.proxyProtocol", "server.defaultRegion"],
            [
                "mobileAuth.operators", "messaging.routesFile", "messaging.presets", "messaging.channels",
                "messaging.waitSeconds", "messaging.nextRoute", "guard.mode", "guard.budgetPerDay",
                "guard.budgetPerClientPerDay", "guard.budgetPerCountryPerDay", "guard.anonymousPercent", "guard.prices",
            ],
            ["reputation.circuitPauseSeconds", "reputation.operators"],
        ], in: all)

    /// - Parameter groups: the first setting of each group stays in place, and the others are moved directly after it.
    private static func moved(_ groups: [[String]], in settings: [Setting]) -> [Setting] {
        let byPath = Dictionary(uniqueKeysWithValues: settings.map { ($0.key.path, $0) })
        let followers = Dictionary(uniqueKeysWithValues: groups.map { ($0[0], $0.dropFirst()) })
        let elsewhere = Set(followers.values.joined())
        return settings.filter { !elsewhere.contains($0.key.path) }.flatMap { setting in
            [setting] + (followers[setting.key.path] ?? []).compactMap { byPath[$0] }
        }
    }
}
