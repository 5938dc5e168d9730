internal import PhoneNumbers
package import Possession
internal import StrictJSON
internal import Text

/// The texts of messages, as `messaging.textsFile` lists them. `docs/messages.md` explains every member.
///
///     {"defaultLocale": "en",
///      "countries": {"IN": {"sender": "HLDFST", "entityId": "1101"}},
///      "texts": [{"purpose": "code", "channel": "sms", "locale": "en", "text": "{code} is your {brand} code."},
///                {"purpose": "code", "channel": "sms", "locale": "en", "country": "IN", "templateId": "1107",
///                 "text": "{code} is your {brand} code"}],
///      "templates": [{"id": "order", "locale": "en", "text": "{code} confirms the order {order} at {brand}."}]}
package struct TextsFile: Sendable {
    /// All errors of a file: the place, such as `texts[3].text`, and the reason.
    package struct Mistakes: Error, Sendable, Equatable {
        package let all: [String]
    }

    enum Limit {
        static let fileBytes = 1 << 20
        static let texts = 1000
        static let countries = 300
        static let localesOfText = 16
        static let idBytes = 128
        static let templates = 200
        static let templateIDBytes = 64
    }

    package let catalog: MessageCatalog

    /// - Parameter bytes: JSON, with comments from `//` to the end of the line.
    /// - Throws: all errors of the file at once.
    package init(_ bytes: [UInt8]) throws(Mistakes) {
        guard bytes.count <= Limit.fileBytes else {
            throw Mistakes(all: ["the file is larger than \(Limit.fileBytes) bytes"])
        }
        let object: JSONObject
        do {
            object = try JSONObject.parse(ConfigurationFile.withoutComments(bytes), limits: .trusted)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw Mistakes(all: ["line \(line): \(error.reason)"])
        }
        var reader = TextsReader()
        let catalog = reader.catalog(object)
        guard let catalog, reader.mistakes.isEmpty else { throw Mistakes(all: reader.mistakes) }
        self.catalog = catalog
    }
}

/// Reads the members and records every mistake with its place. A mistake contains the member and the reason, never the
/// value.
private struct TextsReader {
    private(set) var mistakes: [String] = []

    /// `nil`: there was a mistake.
    mutating func catalog(_ object: JSONObject) -> MessageCatalog? {
        refuseOthers(object, than: ["defaultLocale", "countries", "texts", "templates"], at: "")
        let locale = self.locale(object["defaultLocale"], at: "defaultLocale")
        let countries = self.countries(object["countries"])
        guard let elements = object["texts"]?.array, (1...TextsFile.Limit.texts).contains(elements.count) else {
            note("texts", "must be a list of 1 to \(TextsFile.Limit.texts) texts")
            return nil
        }
        let entries = elements.enumerated().map { entry($0.element, at: "texts[\($0.offset)]") }
        let read = entries.compactMap { $0 }
        let templates = self.templates(object["templates"])
        guard let locale, read.count == entries.count else { return nil }
        do throws(MessageCatalog.Defects) {
            return try MessageCatalog(
                defaultLocale: locale, entries: read, countries: countries, templates: templates)
        } catch {
            for defect in error.all { note(defect.entry.map { "texts[\($0)]" } ?? "texts", defect.reason) }
            return nil
        }
    }

    private mutating func countries(_ value: JSONValue?) -> [ByteText: MessageCatalog.Registration] {
        guard let value else { return [:] }
        guard let object = value.object, object.count <= TextsFile.Limit.countries else {
            note("countries", "must be an object of at most \(TextsFile.Limit.countries) countries")
            return [:]
        }
        var countries: [ByteText: MessageCatalog.Registration] = [:]
        for member in object.members {
            guard NumberingPlan.isRegion(member.name) else {
                note("countries", "each member must be a region of two capital letters, such as IN (ISO 3166-1)")
                continue
            }
            let place = "countries.\(member.name)"
            guard let registration = member.value.object else {
                note(place, "must be an object")
                continue
            }
            refuseOthers(registration, than: ["sender", "entityId"], at: place)
            countries[ByteText(member.name)] = MessageCatalog.Registration(
                sender: id(registration, "sender", at: place), entityID: id(registration, "entityId", at: place))
        }
        return countries
    }

    private mutating func templates(_ value: JSONValue?) -> [ByteText: CallTemplates] {
        guard let value else { return [:] }
        guard let elements = value.array, elements.count <= TextsFile.Limit.templates else {
            note("templates", "must be a list of at most \(TextsFile.Limit.templates) texts")
            return [:]
        }
        var texts: [ByteText: [LanguageTag: CallTemplate]] = [:]
        for (index, element) in elements.enumerated() {
            let place = "templates[\(index)]"
            guard let object = element.object else {
                note(place, "must be an object")
                continue
            }
            refuseOthers(object, than: ["id", "locale", "text"], at: place)
            let id = id(object, "id", at: place).flatMap { $0.utf8.count <= TextsFile.Limit.templateIDBytes ? $0 : nil }
            let locales = self.locales(object["locale"], at: "\(place).locale")
            guard let id else {
                note("\(place).id", "must have 1 to \(TextsFile.Limit.templateIDBytes) visible characters of ASCII")
                continue
            }
            guard let text = template(object["text"], at: "\(place).text"), let locales else { continue }
            for locale in locales where texts[ByteText(id), default: [:]].updateValue(text, forKey: locale) != nil {
                note(place, "is for \(locale), as a text of this id is already")
            }
        }
        return texts.mapValues { CallTemplates($0) }
    }

    private mutating func template(_ value: JSONValue?, at place: String) -> CallTemplate? {
        guard let text = value?.string else {
            note(place, value == nil ? "is missing" : "must be text")
            return nil
        }
        do throws(CallTemplate.Defect) { return try CallTemplate(text) } catch {
            note(place, error.reason)
            return nil
        }
    }

    private static let members = ["purpose", "channel", "locale", "country", "text", "subject", "sender", "templateId"]

    private mutating func entry(_ value: JSONValue, at place: String) -> MessageCatalog.Entry? {
        guard let object = value.object else {
            note(place, "must be an object")
            return nil
        }
        refuseOthers(object, than: Self.members, at: place)
        let purpose = choice(object, "purpose", MessageCatalog.Purpose.self, at: place)
        let channel = choice(object, "channel", MessageCatalog.Channel.self, at: place)
        let locales = self.locales(object["locale"], at: "\(place).locale")
        var country: String?
        if let value = object["country"] {
            country = value.string.flatMap { NumberingPlan.isRegion($0) ? $0 : nil }
            if country == nil {
                note("\(place).country", "must be a region of two capital letters, such as IN (ISO 3166-1)")
            }
        }
        let sender = id(object, "sender", at: place)
        let templateID = id(object, "templateId", at: place)
        guard let purpose, let channel else { return nil }
        if purpose == .link, channel == .voice {
            note("\(place).channel", "must not be voice: a person cannot open a link that is heard")
            return nil
        }
        if channel == .email, country != nil {
            note("\(place).country", "is of no use: e-mail goes to no country")
        }
        let subject = subject(object["subject"], channel, at: "\(place).subject")
        guard let text = text(object["text"], purpose, channel, at: "\(place).text"), let locales else { return nil }
        return MessageCatalog.Entry(
            purpose: purpose, channel: channel, locales: locales, country: country, text: text, subject: subject,
            sender: sender, templateID: templateID)
    }

    private mutating func text(
        _ value: JSONValue?, _ purpose: MessageCatalog.Purpose, _ channel: MessageCatalog.Channel, at place: String
    ) -> MessageText? {
        guard let text = value?.string else {
            note(place, value == nil ? "is missing" : "must be text")
            return nil
        }
        do throws(MessageText.Defect) { return try MessageText(text, for: purpose, over: channel) } catch {
            note(place, error.reason)
            return nil
        }
    }

    /// The required subject of an e-mail.
    private mutating func subject(
        _ value: JSONValue?, _ channel: MessageCatalog.Channel, at place: String
    ) -> MessageText? {
        guard channel == .email else {
            if value != nil { note(place, "is for e-mail only") }
            return nil
        }
        guard let text = value?.string else {
            note(place, value == nil ? "is missing" : "must be text")
            return nil
        }
        do throws(MessageText.Defect) { return try MessageText(subject: text) } catch {
            note(place, error.reason)
            return nil
        }
    }

    /// One language tag, or a list of them.
    private mutating func locales(_ value: JSONValue?, at place: String) -> [LanguageTag]? {
        guard let values = value?.array else { return locale(value, at: place).map { [$0] } }
        guard (1...TextsFile.Limit.localesOfText).contains(values.count) else {
            note(place, "must have 1 to \(TextsFile.Limit.localesOfText) language tags")
            return nil
        }
        let tags = values.enumerated().compactMap { locale($0.element, at: "\(place)[\($0.offset)]") }
        return tags.count == values.count ? tags : nil
    }

    private mutating func locale(_ value: JSONValue?, at place: String) -> LanguageTag? {
        let tag = value?.string.flatMap { LanguageTag($0) }
        if tag == nil { note(place, value == nil ? "is missing" : "must be a language tag such as de or pt-BR") }
        return tag
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ object: JSONObject, _ name: String, _ type: Choice.Type, at place: String
    ) -> Choice? {
        let choice = object[name]?.string.flatMap { Choice.spelled($0) }
        if choice == nil {
            note("\(place).\(name)", "must be one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return choice
    }

    /// An id that another organization has assigned.
    private mutating func id(_ object: JSONObject, _ name: String, at place: String) -> String? {
        guard let value = object[name] else { return nil }
        let id = value.string.flatMap { text in
            (1...TextsFile.Limit.idBytes).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? text : nil
        }
        if id == nil {
            note("\(place).\(name)", "must have 1 to \(TextsFile.Limit.idBytes) visible characters of ASCII, no blanks")
        }
        return id
    }

    private mutating func refuseOthers(_ object: JSONObject, than known: [String], at place: String) {
        for name in object.names where !known.contains(name) {
            let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            let shown = isPlain ? name : "(a member with an odd name)"
            note(
                place.isEmpty ? shown : "\(place).\(shown)",
                "unknown member" + (isPlain ? NearName.hint(name, among: known) : ""))
        }
    }

    private mutating func note(_ place: String, _ reason: String) { mistakes.append("\(place): \(reason)") }
}
