package import Possession
internal import StrictJSON
internal import Text

/// The gateways and routes of a server, read from their file (docs/gateways.md).
///
///     {"gateways": {
///        "main": {"preset": "twilio", "settings": {"accountSid": "AC1", "sender": "+12015550123"},
///                 "secretFiles": {"authToken": "/etc/holdfast/twilio.token"}},
///        "bridge": {"preset": "kannel", "settings": {"baseUrl": "http://127.0.0.1:13013", "user": "holdfast"},
///                   "secretFiles": {"password": "/etc/holdfast/kannel.password"}, "timeoutSeconds": 5}},
///      "routes": [{"countries": ["DE", "AT"], "gateways": ["bridge", {"gateway": "main", "sender": "Acme"}]},
///                 {"gateways": ["main"]}]}
package struct MessagingFile: Sendable {
    /// All mistakes of a file, in order: the place and the reason.
    package struct Mistakes: Error, Sendable, Equatable {
        package let all: [String]
        package init(all: [String]) { self.all = all }
    }

    /// Why a file that the file names cannot be read, as text that follows its name.
    package struct Unreadable: Error, Sendable {
        package let reason: String
        package init(reason: String) { self.reason = reason }
    }

    package enum Limit {
        package static let fileBytes = 1 << 20
        static let gateways = 64
        static let routes = 1_000
        static let legs = 16
    }

    package struct Entry: Sendable {
        package let name: String
        package let specification: GatewaySpecification
        /// Includes the secrets.
        package let settings: [String: String]
        package let timeout: Duration
        package let maxCalls: Int
        package let circuitFailures: Int
        package let circuitPause: Duration
    }

    /// Readers of everything that the file only names.
    package struct Sources: Sendable {
        /// The bytes of a preset, without comments.
        package let preset: @Sendable (_ name: String) throws(Unreadable) -> [UInt8]
        package let secret: @Sendable (_ path: String) throws(Unreadable) -> String
        /// Whether an ISO 3166 region exists.
        package let isCountry: @Sendable (_ region: String) -> Bool

        package init(
            preset: @escaping @Sendable (String) throws(Unreadable) -> [UInt8],
            secret: @escaping @Sendable (String) throws(Unreadable) -> String,
            isCountry: @escaping @Sendable (String) -> Bool
        ) {
            self.preset = preset
            self.secret = secret
            self.isCountry = isCountry
        }
    }

    package let gateways: [Entry]
    package let routes: [MessageRoute]

    /// - Parameter bytes: JSON without comments.
    /// - Throws: all mistakes at once.
    package init(_ bytes: [UInt8], _ sources: Sources) throws(Mistakes) {
        guard bytes.count <= Limit.fileBytes else {
            throw Mistakes(all: ["the file is larger than \(Limit.fileBytes) bytes"])
        }
        var top = try Self.object(bytes, at: "")
        var mistakes: [String] = []
        var gateways: [Entry] = []
        var names: [String] = []
        for member in top.members("gateways", maxCount: Limit.gateways) {
            names.append(member.name)
            let place = "gateways.\(MemberReader.shown(member.name))"
            guard OperatorSettings.nameDefect(member.name) == nil else {
                mistakes.append("\(place): a name must be 1 to 32 of a-z, 0-9 and -")
                continue
            }
            guard var reader = MemberReader.reader(of: member.value, at: place, mistakes: &mistakes) else { continue }
            if let entry = Entry(member.name, &reader, sources) { gateways.append(entry) }
            mistakes += reader.allMistakes()
        }
        if gateways.isEmpty, mistakes.isEmpty { top.note("gateways", "must name at least one gateway") }
        var routes: [MessageRoute] = []
        for (place, value) in top.list("routes", mayBeEmpty: false, maxCount: Limit.routes, required: true) {
            guard var reader = MemberReader.reader(of: value, at: place, mistakes: &mistakes) else { continue }
            if let route = MessageRoute(&reader, gateways, names, sources) { routes.append(route) }
            mistakes += reader.allMistakes()
        }
        mistakes = top.allMistakes() + mistakes
        guard mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        self.gateways = gateways
        self.routes = routes
    }

    fileprivate static func object(_ bytes: [UInt8], at place: String) throws(Mistakes) -> MemberReader {
        do {
            return MemberReader(try JSONObject.parse(bytes, limits: .trusted), at: place)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw Mistakes(all: ["\(place.isEmpty ? "" : "\(place), ")line \(line): \(error.reason)"])
        }
    }

    /// Warnings about settings that are allowed but probably a mistake.
    package var warnings: [String] {
        routes.indices.compactMap { index in
            routes[..<index].firstIndex { $0.covers(routes[index]) }.map {
                "routes[\(index)]: is never used: routes[\($0)] comes first and takes all of its messages"
            }
        }
    }

    /// Setup that is needed at the providers, at most one text for each gateway.
    package var notes: [String] {
        gateways.compactMap { gateway in gateway.specification.note.map { "gateway \(gateway.name): \($0)" } }
    }

    /// The gateways and routes, ready to send.
    package func plan(
        send: @escaping OutboundSend, crypto: GatewayCrypto, systemNow: @escaping Now
    ) -> RoutedGateway.Plan {
        var plan = RoutedGateway.Plan(routes: routes)
        for entry in gateways {
            let template = TemplateGateway(
                name: entry.name, entry.specification, settings: entry.settings, send: send, crypto: crypto,
                systemNow: systemNow)
            plan.gateways[entry.name] = RoutedGateway.Gateway(
                template: template, timeout: entry.timeout, maxCalls: entry.maxCalls,
                breaker: CircuitBreaker(threshold: entry.circuitFailures, pause: entry.circuitPause))
        }
        return plan
    }
}

extension MessagingFile.Entry {
    fileprivate init?(_ name: String, _ reader: inout MemberReader, _ sources: MessagingFile.Sources) {
        let mistakes = reader.mistakeCount
        self.name = name
        timeout = .seconds(reader.wholeNumber("timeoutSeconds", in: 1...60, or: 10))
        maxCalls = reader.wholeNumber("maxCalls", in: 1...10_000, or: 64)
        circuitFailures = reader.wholeNumber("circuitFailures", in: 0...1_000, or: 5)
        circuitPause = .seconds(reader.wholeNumber("circuitPauseSeconds", in: 1...3_600, or: 30))
        let mayBePlain = reader.bool("plainHttp", or: false)
        let preset = reader.text("preset", maxBytes: 64)
        let own = reader.object("specification") { GatewaySpecification(&$0) }
        var specification = own
        if let preset {
            if reader.has("specification") { reader.note("specification", "stands beside preset: one of them") }
            specification = Self.preset(preset, &reader, sources)
        } else if !reader.has("specification") {
            reader.note("preset", "is missing: name a preset, or give a specification")
        }
        guard let specification else {
            // Without a specification, its settings are unknown.
            _ = (reader.value("settings"), reader.value("secretFiles"))
            return nil
        }
        self.specification = specification
        settings = Self.settings(specification, &reader, sources)
        guard reader.mistakeCount == mistakes else { return nil }
        if let defect = specification.keyDefect(in: settings) {
            reader.note("secretFiles", defect)
            return nil
        }
        if let defect = specification.defect(in: settings, mayBePlain: mayBePlain) {
            let isPlainOnly = !mayBePlain && specification.defect(in: settings, mayBePlain: true) == nil
            reader.note(
                "settings",
                isPlainOnly
                    ? "\(defect); if messages may cross this network in the clear, set the gateway's plainHttp to true"
                    : defect)
            return nil
        }
    }

    private static func preset(
        _ name: String, _ reader: inout MemberReader, _ sources: MessagingFile.Sources
    ) -> GatewaySpecification? {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 97...122, UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isPlain else {
            reader.note("preset", "must be 1 to 64 of a-z, 0-9 and -")
            return nil
        }
        do {
            var file = try MessagingFile.object(try sources.preset(name), at: "preset \(name)")
            let specification = GatewaySpecification(&file)
            reader.adopt(file.allMistakes())
            return specification
        } catch let fault as MessagingFile.Unreadable {
            reader.note("preset", fault.reason)
        } catch let mistakes as MessagingFile.Mistakes {
            reader.adopt(mistakes.all)
        } catch {
            reader.note("preset", "cannot be read")
        }
        return nil
    }

    private static func settings(
        _ specification: GatewaySpecification, _ reader: inout MemberReader, _ sources: MessagingFile.Sources
    ) -> [String: String] {
        var settings: [String: String] = [:]
        for member in reader.members("settings", maxCount: 64) {
            guard specification.settings.contains(where: { $0.name.utf8.elementsEqual(member.name.utf8) }) else {
                reader.note("settings", "'\(MemberReader.shown(member.name))' is none of this gateway's")
                continue
            }
            if let reason = MemberReader.textMistake(member.value, maxBytes: 1_024) {
                reader.note("settings", "'\(MemberReader.shown(member.name))' \(reason)")
            }
            settings[member.name] = member.value.string
        }
        for setting in specification.settings where !setting.isOptional && settings[setting.name] == nil {
            reader.note("settings", "'\(setting.name)' is missing")
        }
        for member in reader.members("secretFiles", maxCount: 16) {
            guard specification.secrets.contains(where: { $0.name.utf8.elementsEqual(member.name.utf8) }),
                let path = member.value.string
            else {
                reader.note("secretFiles", "'\(MemberReader.shown(member.name))' is none of this gateway's secrets")
                continue
            }
            do throws(MessagingFile.Unreadable) { settings[member.name] = try sources.secret(path) } catch {
                reader.note("secretFiles", "'\(member.name)': \(error.reason)")
                settings[member.name] = ""
            }
        }
        for secret in specification.secrets where !secret.isOptional && settings[secret.name] == nil {
            reader.note("secretFiles", "'\(secret.name)' is missing")
        }
        return settings
    }
}

extension GatewayValues {
    /// Adds a harmless value for each placeholder of a text that has none.
    func withFiller(of text: GatewayText) -> GatewayValues {
        var values = self
        for name in text.names.compactMap({ Name(rawValue: $0.name) }) where values[name] == nil { values[name] = "x" }
        return values
    }
}

extension MessageRoute {
    fileprivate init?(
        _ reader: inout MemberReader, _ gateways: [MessagingFile.Entry], _ names: [String],
        _ sources: MessagingFile.Sources
    ) {
        let mistakes = reader.mistakeCount
        _ = reader.value("comment")
        let countries = reader.texts(
            "countries", maxCount: 300, maxBytes: 2, reason: "must be ISO 3166 regions, such as DE",
            where: sources.isCountry)
        let prefixes = reader.texts(
            "prefixes", maxCount: 1_000, maxBytes: 16, reason: "must be beginnings of numbers, such as +4917"
        ) { text in
            text.utf8.first == UInt8(ascii: "+") && text.utf8.count > 1
                && text.utf8.dropFirst().allSatisfy { $0 >= 48 && $0 <= 57 }
        }
        let channels = reader.channels("channels", or: [.sms])
        let tenants = reader.texts("clients", maxCount: 1_000, maxBytes: 64, reason: "must be client ids") {
            ClientID($0) != nil
        }.compactMap { ClientID($0) }
        let common = Registration(&reader)
        var legs: [Leg] = []
        for (place, value) in reader.list(
            "gateways", mayBeEmpty: false, maxCount: MessagingFile.Limit.legs, required: true)
        {
            if let leg = Leg(value, at: place, common, &reader) { legs.append(leg) }
        }
        for leg in legs {
            guard let entry = gateways.first(where: { $0.name.utf8.elementsEqual(leg.gateway.utf8) }) else {
                // A wrong entry has already been reported.
                if !names.contains(where: { $0.utf8.elementsEqual(leg.gateway.utf8) }) {
                    reader.note("gateways", "'\(MemberReader.shown(leg.gateway))' is no gateway of this file")
                }
                continue
            }
            for channel in channels where !entry.specification.channels.contains(channel) {
                reader.note("gateways", "'\(leg.gateway)' has no channel \(channel.rawValue)")
            }
        }
        if channels.contains(.email), !countries.isEmpty || !prefixes.isEmpty {
            reader.note("channels", "e-mail goes to no country: give it a route without countries and prefixes")
        }
        guard reader.mistakeCount == mistakes, !legs.isEmpty else { return nil }
        self.init(countries: countries, prefixes: prefixes, channels: channels, tenants: tenants, legs: legs)
    }
}

/// The sender that recipients see, and the IDs under which the text is registered.
private struct Registration {
    let sender: String?
    let entityID: String?
    let templateID: String?

    init(_ reader: inout MemberReader) {
        sender = reader.text(
            "sender", reason: "must be a number (+12015550123), a short code, or 1 to 11 letters and digits",
            where: Self.isSender)
        entityID = reader.text("entityId", maxBytes: 64)
        templateID = reader.text("templateId", maxBytes: 64)
    }

    private static func isSender(_ text: String) -> Bool {
        if PhoneNumber(e164: text) != nil { return true }
        let isDigits = text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
        if isDigits { return (3...8).contains(text.utf8.count) }
        return (1...11).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, 0x20, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}

extension MessageRoute.Leg {
    /// Reads a gateway's name, or an object with the values that differ there.
    fileprivate init?(_ value: JSONValue, at place: String, _ common: Registration, _ outer: inout MemberReader) {
        if let name = value.string {
            self.init(
                gateway: name, sender: common.sender, entityID: common.entityID, templateID: common.templateID)
            return
        }
        var mistakes: [String] = []
        guard var reader = MemberReader.reader(of: value, at: place, mistakes: &mistakes) else {
            outer.adopt(mistakes)
            return nil
        }
        let name = reader.text("gateway", maxBytes: 32, required: true)
        let weight = reader.has("weight") ? reader.wholeNumber("weight", in: 1...1_000, required: true) : nil
        let own = Registration(&reader)
        outer.adopt(reader.allMistakes())
        guard let name else { return nil }
        self.init(
            gateway: name, weight: weight, sender: own.sender ?? common.sender,
            entityID: own.entityID ?? common.entityID, templateID: own.templateID ?? common.templateID)
    }
}
