internal import Possession
internal import Text

extension Configuration {
    /// Settings that are allowed but probably not intended, for `check-config` and the log of the start. Each warning
    /// names the setting and the remedy.
    package var warnings: [String] {
        var warnings = foreignVariables
        if mode == .sandbox, !server.isLoopback {
            warnings.append(
                "server.host: the sandbox surface asks for no credentials and can be reached from other machines")
        }
        if mode == .live, !server.isLoopback, server.trustedProxies.isEmpty, server.tls == nil {
            warnings.append(
                "server.host: other machines reach this server without TLS: set server.tlsCertificateFile and "
                    + "server.tlsKeyFile, or listen on loopback or a private address behind a proxy that ends TLS, and "
                    + "name the proxy in server.trustedProxies")
        }
        if let operations = server.operations, IPAddress(operations.host)?.isLoopback != true {
            warnings.append(
                "server.operationsHost: metrics and docs can be reached from other machines and ask for no credentials")
        }
        if server.drainNoticeSeconds + server.drainSeconds > 9 {
            warnings.append(
                "server.drainNoticeSeconds and server.drainSeconds: together over 9 seconds: a container engine kills "
                    + "after 10 unless it is told otherwise")
        }
        if identity.lookupURL != nil, !identity.keys.isEmpty {
            warnings.append(
                "identity.keys: is not used: the service of identity.lookupUrl finds people in place of the import")
        }
        if mode == .live, spend.perDay == 0 { warnings.append(withoutBudget) }
        return warnings
    }

    /// The possible cost of unanswered messages, by the figures of docs/limits.md, in the currency of the prices.
    private var withoutBudget: String {
        let country = limits.overSessions.sizes.country
        let (once, daily) = (Int(country.start - limits.overSessions.sizes.countryFloor), Int(country.perDay))
        let price = spend.prices.values.reduce(spend.standardPrice, max)
        let cost =
            spend.countsParts
            ? " (\(SpendGuard.text(ofUnits: once * price)) and \(SpendGuard.text(ofUnits: daily * price)) by guard.prices)"
            : ""
        return
            "guard.budgetPerDay: is not set: messages without an answer may cost \(once) at once and \(daily) a day"
            + "\(cost) for each API client and open country, and more where people answer"
    }
}
