internal import Outbound

// Settings of outside services in the form of their adapters, and the mistakes in them.

extension Configuration.MobileAuth {
    /// Settings for the adapter of each operator.
    func settings(redirectURI: String) -> [OperatorSettings] {
        operators.map { network in
            timed(
                OperatorSettings(
                    name: network.name, authorizeURL: network.authorizeURL, tokenURL: network.tokenURL,
                    apiURL: network.apiURL, clientID: network.clientID, redirectURI: redirectURI,
                    networks: network.networks, plmns: network.plmns))
        }
    }

    /// Adds the timeouts and circuit breaker settings that all operators share.
    func timed(_ settings: OperatorSettings) -> OperatorSettings {
        var settings = settings
        settings.callTimeout = .seconds(timeoutSeconds)
        // The return hop makes two calls.
        settings.identifyTimeout = .seconds(min(30, timeoutSeconds * 2))
        settings.breakerFailures = circuitFailures
        settings.breakerPause = .seconds(circuitPauseSeconds)
        return settings
    }

    /// Mistakes in the operators' settings, with their place in the file.
    var defects: [(path: String, reason: String)] {
        // The redirect URI is this server's own, so any valid one serves.
        OperatorSettings.defects(of: settings(redirectURI: "https://localhost/ma/v1/cb")).map { defect in
            var parts = defect.field.split(separator: ".", maxSplits: 1).map(String.init)
            if let index = Int(parts[0].dropFirst().dropLast()), operators.indices.contains(index) {
                parts[0] = operators[index].name
            }
            let path = (["mobileAuth.operators"] + parts).joined(separator: ".")
            let spelled =
                path.hasSuffix("URL")
                ? path.dropLast(3) + "Url" : path.hasSuffix("ID") ? path.dropLast(2) + "Id" : path[...]
            return (String(spelled), defect.reason)
        }
    }
}

extension Configuration.Webhooks {
    /// The addresses that receivers may have.
    var addresses: OutboundRequest.Addresses {
        proxyURL.map { .behind(proxy: $0) } ?? .publicAnd(allowedNetworks)
    }
}

extension SignedServiceSettings {
    fileprivate init(_ url: String, _ timeoutSeconds: Int, _ circuitFailures: Int, _ circuitPauseSeconds: Int) {
        self.init(url: url)
        timeout = .seconds(timeoutSeconds)
        breakerFailures = circuitFailures
        breakerPause = .seconds(circuitPauseSeconds)
    }
}

extension Configuration.Identity {
    /// Settings for the adapter of the service.
    var service: SignedServiceSettings? {
        url.map { SignedServiceSettings($0, timeoutSeconds, circuitFailures, circuitPauseSeconds) }
    }

    /// The same for the service that finds people by credentials.
    var lookup: SignedServiceSettings? {
        lookupURL.map { SignedServiceSettings($0, timeoutSeconds, circuitFailures, circuitPauseSeconds) }
    }

    /// The mistakes in the URLs; `nil`: there are none.
    var urlDefect: String? { service?.urlDefect }
    var lookupURLDefect: String? { lookup?.urlDefect }
}

extension Configuration.Reputation {
    /// Settings for the adapter of the operator's own service.
    var service: SignedServiceSettings? {
        url.map { SignedServiceSettings($0, timeoutSeconds, circuitFailures, circuitPauseSeconds) }
    }

    /// The mistake in the URL; `nil`: there is none.
    var urlDefect: String? { service?.urlDefect }

    /// Settings for the adapter of each operator.
    var operatorSettings: [ReputationOperatorSettings] {
        operators.map { network in
            var settings = ReputationOperatorSettings(
                name: network.name, tokenURL: network.tokenURL, clientID: network.clientID,
                simSwapURL: network.simSwapURL, recyclingURL: network.recyclingURL, prefixes: network.prefixes)
            settings.tokenWay = network.tokenWay
            settings.simSwapCall = network.simSwapCall
            settings.simSwapHours = simSwapHours
            settings.breakerFailures = circuitFailures
            settings.breakerPause = .seconds(circuitPauseSeconds)
            return settings
        }
    }

    /// Mistakes in the operators' settings, with their place in the file.
    var defects: [(path: String, reason: String)] {
        operatorSettings.flatMap { settings in
            settings.defects().map { defect in
                let place = ["reputation.operators", settings.name, defect.field].filter { !$0.isEmpty }
                return (place.joined(separator: "."), defect.reason)
            }
        }
    }
}
