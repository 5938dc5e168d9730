internal import PhoneNumbers
package import Possession
package import StrictJSON
internal import Text
internal import Tokens

/// One rule of an API client that an operator sets. This table serves `clients add`, `clients update`, `clients list`,
/// the control orders, and the clients in a sandbox's configuration file.
package struct TenantMember: Sendable {
    /// The name in JSON.
    package let name: String
    /// The rule for a value, as an error message states it.
    package let demand: String
    /// The value in JSON; absent if the rule is not set.
    package let value: @Sendable (TenantRules) -> JSONValue?
    /// Sets the rule. `false`: the value is invalid, and nothing was changed. `null` sets the default.
    package let set: @Sendable (JSONValue, inout TenantRules) -> Bool

    package static let all: [TenantMember] = [
        flag("mobileAuth", \.mobileAuth),
        flag("allowPhoneChange", \.allowPhoneChange),
        list(
            "finalTargetHosts", \.finalTargetHosts, "a list of hosts such as app.example.com or *.example.com", isHost),
        list(
            "allowedOrigins", \.allowedOrigins,
            "a list of origins: https:// and a host in lower case, http on loopback, or a web view's such as "
                + "capacitor://localhost or http://tauri.localhost"
        ) { WebOrigin.mayBeListed($0) },
        list("appHashes", \.appHashes, "a list of app hashes of 1 to 64 visible characters") {
            (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        },
        text("displayName", \.displayName, "a text of 1 to 64 bytes without control characters") {
            (1...64).contains($0.utf8.count) && Person.isPrintable($0)
        },
        text("messageHost", \.messageHost, "a host name such as app.example.com") {
            $0.utf8.count <= 253 && PublicURL.domain("https://" + $0) == $0
        },
        TenantMember(
            name: "locale", demand: "a language tag such as de or pt-BR",
            value: { $0.locale.map { .string($0.text) } },
            set: { value, rules in
                let locale = value.string.flatMap { LanguageTag($0) }
                guard value == .null || locale != nil else { return false }
                rules.locale = locale
                return true
            }),
        flag("linkMatchCode", \.linkMatchCode),
        flag("linkNeedsSameAddress", \.linkNeedsSameAddress),
        list(
            "callingCodes", \.callingCodes,
            "a list of country calling codes of 1 to 3 digits, such as 44, or regions, such as US",
            isCode),
        list(
            "mobileAuthReturnUrls", \.mobileAuthReturnURLs, "a list of https URLs of at most 128 plain characters"
        ) { $0.hasPrefix("https://") && (try? FinalTargetURL($0)) != nil },
        list(
            "statementAudiences", \.statementAudiences,
            "a list of audiences of 1 to 256 visible characters without *, such as https://partner.example"
        ) { audience in
            (1...256).contains(audience.utf8.count)
                && audience.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") }
        },
        number("leastCodeDigits", \.leastCodeDigits, "digits", TenantRules.leastCodeDigitsBounds),
        figure("requestsPerSecond", \.requestsPerSecond, "requests a second"),
        figure("budgetPerDay", \.budgetPerDay, "the currency or of messages in 24 hours"),
        figure("unansweredPerNetwork", \.unansweredPerNetwork, "messages"),
        figure("unansweredPerPrefix", \.unansweredPerPrefix, "messages"),
        figure("unansweredPerCountry", \.unansweredPerCountry, "messages"),
        TenantMember(
            name: "lineTypes", demand: NumberKind.demandOfReachable,
            value: { $0.limits.lineTypes.map { .array($0.map { .string($0.rawValue) }) } },
            set: { value, rules in
                if value == .null {
                    rules.limits.lineTypes = nil
                    return true
                }
                guard let names = value.array?.compactMap(\.string), names.count == value.array?.count,
                    let lines = NumberKind.reachable(names: names)
                else { return false }
                rules.limits.lineTypes = lines
                return true
            }),
        TenantMember(
            name: "smartChannels",
            demand: "a list of channels, each once: "
                + OutgoingMessage.Channel.ofNumbers.map(\.rawValue).joined(separator: ", "),
            value: { .array($0.smartChannels.map { .string($0.rawValue) }) },
            set: { value, rules in
                let entries = value == .null ? [] : value.array
                let channels = entries?.compactMap { entry in
                    OutgoingMessage.Channel.ofNumbers.first { channel in
                        entry.string.map { channel.rawValue.isSame(as: $0) } ?? false
                    }
                }
                guard let entries, let channels, channels.count == entries.count,
                    Set(channels).count == channels.count
                else { return false }
                rules.smartChannels = channels
                return true
            }),
        number("secondsPerChannel", \.secondsPerChannel, "seconds", TenantRules.secondsPerChannelBounds),
        TenantMember(
            name: "publicKeys",
            demand: "a list of at most \(TenantRules.mostPublicKeys) public keys on P-256, each a JWK",
            value: { .array($0.publicKeys.map { .object($0.jwk) }) },
            set: { value, rules in
                let entries = value == .null ? [] : value.array
                let keys = entries?.compactMap { PublicKey(jwk: $0) }
                guard let entries, let keys, keys.count == entries.count, keys.count <= TenantRules.mostPublicKeys
                else { return false }
                rules.publicKeys = keys
                return true
            }),
    ]

    package static func named(_ name: String) -> TenantMember? { all.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// All rules as members of one object. Rules that are not set are left out.
    package static func object(_ rules: TenantRules) -> JSONObject {
        var object = JSONObject()
        for member in all { object[member.name] = member.value(rules) }
        return object
    }

    /// Sets every rule that the object names.
    /// - Throws: the first member that is unknown or has an invalid value. `rules` may then be partly changed: do not
    ///   use it.
    package static func apply(_ object: JSONObject, to rules: inout TenantRules) throws(TenantMemberFault) {
        for entry in object.members {
            guard let member = named(entry.name) else {
                throw TenantMemberFault(name: entry.name, reason: "no such member")
            }
            guard member.set(entry.value, &rules) else {
                throw TenantMemberFault(name: entry.name, reason: "must be " + member.demand)
            }
        }
    }

    // MARK: Forms

    private static func figure(
        _ name: String, _ path: any WritableKeyPath<TenantLimits, Int?> & Sendable, _ unit: String
    ) -> TenantMember {
        let bounds = TenantLimits.figures.first { $0.path == path }?.bounds ?? 0...0
        return number(name, unit, bounds, { $0.limits[keyPath: path] }, { $1.limits[keyPath: path] = $0 })
    }

    private static func number(
        _ name: String, _ path: any WritableKeyPath<TenantRules, Int?> & Sendable, _ unit: String,
        _ bounds: ClosedRange<Int>
    ) -> TenantMember {
        number(name, unit, bounds, { $0[keyPath: path] }, { $1[keyPath: path] = $0 })
    }

    private static func number(
        _ name: String, _ unit: String, _ bounds: ClosedRange<Int>, _ get: @escaping @Sendable (TenantRules) -> Int?,
        _ set: @escaping @Sendable (Int?, inout TenantRules) -> Void
    ) -> TenantMember {
        TenantMember(
            name: name, demand: "a number of \(unit), \(bounds.lowerBound) to \(bounds.upperBound)",
            value: { get($0).map { .integer(Int64($0)) } },
            set: { value, rules in
                let number = value.integer.flatMap { Int(exactly: $0) }
                guard value == .null || number.map(bounds.contains) ?? false else { return false }
                set(number, &rules)
                return true
            })
    }

    private static func flag(_ name: String, _ path: any WritableKeyPath<TenantRules, Bool> & Sendable) -> TenantMember
    {
        TenantMember(
            name: name, demand: "true or false", value: { .bool($0[keyPath: path]) },
            set: { value, rules in
                guard let flag = value == .null ? TenantRules()[keyPath: path] : value.bool else { return false }
                rules[keyPath: path] = flag
                return true
            })
    }

    private static func text(
        _ name: String, _ path: any WritableKeyPath<TenantRules, String?> & Sendable, _ demand: String,
        _ isRight: @escaping @Sendable (String) -> Bool
    ) -> TenantMember {
        TenantMember(
            name: name, demand: demand, value: { $0[keyPath: path].map { .string($0) } },
            set: { value, rules in
                guard value == .null || value.string.map(isRight) ?? false else { return false }
                rules[keyPath: path] = value.string
                return true
            })
    }

    private static func list(
        _ name: String, _ path: any WritableKeyPath<TenantRules, [String]> & Sendable, _ demand: String,
        _ isRight: @escaping @Sendable (String) -> Bool
    ) -> TenantMember {
        TenantMember(
            name: name, demand: demand, value: { .array($0[keyPath: path].map { .string($0) }) },
            set: { value, rules in
                let entries = value == .null ? [] : value.array?.compactMap(\.string)
                guard let entries, entries.count == value.array?.count ?? 0, entries.count <= maxEntries,
                    entries.allSatisfy(isRight)
                else { return false }
                rules[keyPath: path] = entries
                return true
            })
    }

    /// The most entries in a list, to limit the size of the stored row.
    private static let maxEntries = 1000

    /// A host name, or `*.` and a domain of more than one label.
    private static func isHost(_ text: String) -> Bool {
        let name = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
        return PublicURL.domain("https://" + name) == name
    }

    private static func isCode(_ text: String) -> Bool {
        (1...3).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } && text.utf8.first != 48
            || NumberingPlan.isRegion(text)
    }
}
