internal import Outbound
internal import Administration
internal import Sandbox
internal import Possession
internal import SurfaceKit
internal import StrictJSON
internal import Text

extension Configuration {
    /// The effective settings as the file would have them, secrets left out.
    var settings: JSONObject {
        var object: JSONObject = ["mode": .string(mode.rawValue)]
        object.set("server", server.settings)
        var numbering = JSONObject()
        numbering.set("planFile", numbers.planFile)
        numbering.set("unknownRanges", numbers.unknownRanges.rawValue)
        object.set("numbers", numbering)
        var storage: JSONObject = ["directory": .string(data.directory), "migrations": .string(data.migrations)]
        storage.set("changesPerCommit", data.changesPerCommit)
        object.set("data", storage)
        var secrets: JSONObject = ["masterKeyFile": .string(keys.masterKeyFile)]
        secrets.set("rotationDays", keys.rotationDays)
        secrets.set("sealingRotationDays", keys.sealingRotationDays)
        object.set("keys", secrets)
        var kept = JSONObject()
        kept.set("retentionDays", audit.retentionDays)
        object.set("audit", kept)
        var codes = JSONObject()
        codes.set("codeLength", otp.length)
        codes.set("lifetimeSeconds", otp.lifetimeSeconds)
        object.set("otp", codes)
        object.set("link", link.settings)
        object.set("webhooks", webhooks.settings)
        object.set("mobileAuth", mobileAuth.settings)
        var messages = texts.settings
        for member in messaging.settings.members { messages[member.name] = member.value }
        object.set("messaging", messages)
        object.set("guard", spend.settings)
        object.set("app", app.settings)
        object.set("onboarding", onboarding.settings)
        object.set("identity", identity.settings)
        object.set("reputation", reputation.settings)
        object.set("limits", limits.settings(isSandbox: mode == .sandbox))
        object.set("sandbox", sandbox?.settings)
        var lines: JSONObject = ["level": .string(log.level), "requests": .bool(log.requests)]
        if let format = log.format { lines.set("format", format.rawValue) }
        lines.set("refusalsPerSecond", log.refusalsPerSecond)
        object.set("log", lines)
        return object
    }

    /// The same, one member a line: `check-config` prints it.
    package var report: String {
        Configuration.lines(.object(settings), indent: "")
    }

    private static func lines(_ value: JSONValue, indent: String) -> String {
        guard case .object(let object) = value, !object.isEmpty else {
            return String(decoding: value.serialized(), as: UTF8.self)
        }
        let inner = indent + "  "
        let members = object.members.map { member in
            let name = String(decoding: JSONValue.string(member.name).serialized(), as: UTF8.self)
            return "\(inner)\(name): \(lines(member.value, indent: inner))"
        }
        return "{\n" + members.joined(separator: ",\n") + "\n\(indent)}"
    }
}

extension Configuration.Webhooks {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("retentionDays", retentionDays)
        object.set("maxBytesPerClient", maxBytesPerClient)
        object.set("allowedNetworks", allowedNetworks.isEmpty ? nil : allowedNetworks.text)
        object.set("proxyUrl", proxyURL)
        object.set("ports", ports.sorted().map(String.init).joined(separator: ","))
        return object
    }
}

extension Configuration.Server {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("host", hosts.joined(separator: ","))
        object.set("port", port)
        object.set("publicUrl", publicURL)
        object.set("hostNames", hostNames.isEmpty ? nil : hostNames.joined(separator: ","))
        object.set("maxBodyBytes", maxBodyBytes)
        object.set("drainNoticeSeconds", drainNoticeSeconds)
        object.set("drainSeconds", drainSeconds)
        object.set("loops", loops)
        object.set("maxConnections", maxConnections)
        object.set("maxConnectionsPerAddress", maxConnectionsPerAddress)
        object.set("keepAliveSeconds", keepAliveSeconds)
        object.set("maxBufferedBytes", maxBufferedBytes)
        object.set("maxStreams", maxStreams)
        object.set("maxStreamsPerAddress", maxStreamsPerAddress)
        object.set("operationsHost", operations?.host)
        object.set("operationsPort", operations?.port)
        object.set("publicMetrics", publicMetrics)
        object.set("publicDocs", publicDocs)
        object.set("trustedProxies", trustedProxies.isEmpty ? nil : trustedProxies.text)
        object.set("proxyProtocol", proxyProtocol)
        object.set("defaultRegion", defaultRegion)
        if let tls {
            object.set("tlsCertificateFile", tls.certificateFile)
            object.set("tlsKeyFile", tls.keyFile)
            object.set("tlsClientCaFile", tls.clientAuthoritiesFile)
            if tls.clientAuthoritiesFile != nil {
                object.set("tlsClientCertificates", tls.needsClientCertificates ? "required" : "optional")
                object.set("tlsClientNameFrom", tls.clientNameFrom.rawValue)
            }
            object.set("hstsSeconds", tls.strictTransportSeconds)
            object.set("redirectPort", redirectPort)
        }
        return object
    }
}

extension Configuration.Links {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("publicUrl", publicURL)
        object.set("lifetimeSeconds", lifetimeSeconds)
        return object
    }
}

extension Configuration.Texts {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("textsFile", file)
        object.set("brand", brand)
        object.set("lookalikes", lookalikes)
        return object
    }
}

extension Configuration.MobileAuth {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("timeoutSeconds", timeoutSeconds)
        object.set("circuitFailures", circuitFailures)
        object.set("circuitPauseSeconds", circuitPauseSeconds)
        var named = JSONObject()
        for network in operators { named.set(network.name, network.settings) }
        if !operators.isEmpty { object.set("operators", named) }
        return object
    }
}

extension Configuration.Reputation {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("url", url)
        object.set("secretFile", secretFile)
        object.set("whenUnknown", whenUnknown.rawValue)
        object.set("simSwapHours", simSwapHours)
        object.set("timeoutSeconds", timeoutSeconds)
        object.set("circuitFailures", circuitFailures)
        object.set("circuitPauseSeconds", circuitPauseSeconds)
        var named = JSONObject()
        for network in operators { named.set(network.name, network.settings) }
        if !operators.isEmpty { object.set("operators", named) }
        return object
    }
}

extension Configuration.App {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("clientId", clientID?.text)
        object.set("allowedOrigins", allowedOrigins.isEmpty ? nil : allowedOrigins.joined(separator: ","))
        object.set("finalTargetUrl", finalTargetURL)
        object.set("acceptAuthId", acceptAuthID)
        object.set("allowOtpRetry", allowsOTPRetry)
        return object
    }
}

extension Configuration.Onboarding {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("acceptPlain", acceptsPlain)
        return object
    }
}

extension Configuration.Identity {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("url", url)
        object.set("lookupUrl", lookupURL)
        let entries = keys.map { key in
            key.names.map { name in name + (kinds[name].map { ":" + $0.rawValue } ?? "") }.joined(separator: "+")
        }
        object.set("keys", entries.isEmpty ? nil : entries)
        object.set("secretFile", secretFile)
        object.set("timeoutSeconds", timeoutSeconds)
        object.set("circuitFailures", circuitFailures)
        object.set("circuitPauseSeconds", circuitPauseSeconds)
        return object
    }
}

extension Configuration.Limiting {
    fileprivate func settings(isSandbox: Bool) -> JSONObject {
        var object = JSONObject()
        object.set("requestsPerSecond", requestsPerSecond)
        object.set("auditedCallsPerMinute", auditedCallsPerMinute)
        object.set("callsPerAddressPerSecond", callsPerAddressPerSecond)
        if isSandbox { object.set("enforceInSandbox", enforceInSandbox) }
        object.set("sendsPerSession", sendsPerSession)
        object.set("numberEntriesPerSession", numberEntriesPerSession)
        object.set("otpAttemptsWithRetry", otpAttemptsWithRetry)
        let over = overSessions
        object.set("sendsPerNumberPerQuarterHour", over.sendsPerQuarterHour)
        object.set("sendsPerNumberPerDay", over.sendsPerDay)
        object.set("secondsBetweenSends", over.secondsBetweenSends)
        object.set("unansweredPerAddress", Int(over.sizes.address.start))
        object.set("unansweredPerNetwork", Int(over.sizes.network.start))
        object.set("unansweredPerPrefix", Int(over.sizes.prefix.start))
        object.set("unansweredPerCountry", Int(over.sizes.country.start))
        if !over.knownNetworks.isEmpty { object.set("knownNetworks", over.knownNetworks.text) }
        object.set("lineTypes", lineTypes.map { $0.map(\.rawValue) })
        object.set("startsPerAddressPerTenMinutes", over.startsPerAddressPerTenMinutes)
        object.set("startsPerPersonPerDay", over.startsPerPersonPerDay)
        object.set("wrongCodesPerNumberPerHour", over.wrongCodesPerHour)
        object.set("wrongCodesPerNumberPerDay", over.wrongCodesPerDay)
        object.set("failedClaimsPerHour", over.failedClaimsPerHour)
        object.set("failedClaimsPerDay", over.failedClaimsPerDay)
        object.set("failuresInARow", over.failuresInARow)
        object.set("retentionSeconds", retentionSeconds)
        return object
    }
}

extension Configuration.Sandbox {
    fileprivate var settings: JSONObject {
        var named = JSONObject()
        for client in clients { named.set(client.id, client.settings) }
        var object = JSONObject()
        object.set("usersFile", usersFile)
        object.set("unknownNumbers", unknownNumbers.rawValue)
        object.set("flowByOrigin", flowByOrigin)
        object.set("clients", named)
        return object
    }
}
