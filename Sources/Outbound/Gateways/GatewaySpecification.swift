package import Possession
package import StrictJSON
internal import Text

/// How one kind of gateway is called, read from its file (`config/gateways/*.json`, docs/gateways/providers.md).
///
///     {"channels": ["sms"],
///      "settings": ["accountSid", "sender?"], "secrets": ["authToken"],
///      "request": {"method": "POST", "url": "https://api.example/{{accountSid}}",
///                  "auth": {"basic": ["{{accountSid}}", "{{authToken}}"]}, "form": {"To": "{{to}}", "Body": "{{text}}"}},
///      "answer": {"id": "/sid", "code": ["/code"], "kinds": {"21211": "number"}}}
///
/// A mail server has `mail` instead of `request`, and no `answer`:
///
///     {"channels": ["email"], "settings": ["url", "from", "user?"], "secrets": ["password?"],
///      "mail": {"url": "{{url}}", "from": "{{from}}", "user": "{{user?}}", "password": "{{password?}}"}}
package struct GatewaySpecification: Sendable, Equatable {
    enum Limit {
        static let entries = 64
        static let kinds = 512
        static let textBytes = 2_048
    }

    enum Auth: Sendable, Equatable {
        case none
        case basic(user: GatewayText, password: GatewayText)
        case bearer(GatewayText)
        /// Signed as in Standard Webhooks 1.0.0, with a secret in that standard's form.
        case standardWebhooks(secret: GatewayText)
    }

    enum Body: Sendable, Equatable {
        case none
        case form([Field])
        case json(Node)
    }

    struct Field: Sendable, Equatable {
        let name: String
        let value: GatewayText
    }

    /// JSON with placeholders in its texts.
    indirect enum Node: Sendable, Equatable {
        case text(GatewayText)
        case value(JSONValue)
        case array([Node])
        case object([Member])
    }

    struct Member: Sendable, Equatable {
        let name: String
        let node: Node
    }

    /// How a mail server is called.
    struct Mail: Sendable, Equatable {
        let from: GatewayText
        /// The sender's name.
        let name: GatewayText?
        let user: GatewayText?
        let password: GatewayText?
        /// Path of a PEM file.
        let authorities: GatewayText?
    }

    /// The form of an accepted answer, and the meaning of other answers.
    struct Answer: Sendable, Equatable {
        struct Condition: Sendable, Equatable {
            let pointer: GatewayPointer
            let values: [String]
        }

        /// An ID between two texts of a body that is not JSON.
        struct Between: Sendable, Equatable {
            let before: [UInt8]
            let after: [UInt8]
        }

        var statuses: [Int]
        var conditions: [Condition]
        /// Accepted prefixes of a body that is not JSON; empty: any.
        var prefixes: [[UInt8]]
        var id: GatewayPointer?
        var idBetween: Between?
        var code: [GatewayPointer]
        /// By the carrier's code, and by HTTP status.
        var kinds: [String: GatewayFault.Kind]
        var statusKinds: [Int: GatewayFault.Kind]
    }

    package let channels: [OutgoingMessage.Channel]
    /// Setup that the operator must do at the provider; shown by `check-config`.
    let note: String?
    /// Purposes of messages that the gateway may carry.
    let purposes: [Session.MessageKind]
    /// The operator's settings, required and optional.
    package let settings: [(name: String, isOptional: Bool)]
    package let secrets: [(name: String, isOptional: Bool)]
    let method: String
    /// The URL of the request or of the mail server.
    let url: GatewayText
    /// `nil`: the gateway is called over HTTP.
    let mail: Mail?
    let query: [Field]
    let headers: [Field]
    let auth: Auth
    let body: Body
    let answer: Answer
    /// The gateway recognizes a repeated message by its ID.
    let isRepeatable: Bool
    let receipt: ReceiptForm?

    package static func == (left: GatewaySpecification, right: GatewaySpecification) -> Bool {
        left.channels == right.channels && left.note == right.note && left.purposes == right.purposes
            && left.secrets.elementsEqual(right.secrets, by: ==)
            && left.method == right.method && left.mail == right.mail
            && left.settings.elementsEqual(right.settings, by: ==) && left.url == right.url
            && left.query == right.query && left.headers == right.headers && left.auth == right.auth
            && left.body == right.body && left.answer == right.answer && left.isRepeatable == right.isRepeatable
            && left.receipt == right.receipt
    }

    /// - Returns: `nil` after a mistake, which the reader has recorded.
    package init?(_ reader: inout MemberReader) {
        let mistakes = reader.mistakeCount
        _ = reader.value("comment")
        note = reader.text("note", maxBytes: 256)
        channels = reader.channels("channels", or: [.sms])
        let kinds = reader.texts("purposes", maxCount: 2, maxBytes: 8, reason: "must be a list of code, link") { text in
            Session.MessageKind.allCases.contains { $0.rawValue.utf8.elementsEqual(text.utf8) }
        }
        purposes =
            kinds.isEmpty
            ? Session.MessageKind.allCases
            : Session.MessageKind.allCases.filter { kind in kinds.contains { $0.utf8.elementsEqual(kind.rawValue.utf8) }
            }
        let settings = Self.names("settings", &reader)
        let secrets = Self.names("secrets", &reader)
        (self.settings, self.secrets) = (settings, secrets)
        var known = Dictionary(
            GatewayValues.Name.allCases.map { ($0.rawValue, $0.isOptional) }
                + (settings + secrets).map { ($0.name, $0.isOptional) }, uniquingKeysWith: { first, _ in first })
        for name in (settings + secrets).map(\.name) where GatewayValues.Name(rawValue: name) != nil {
            // A gateway setting may replace a value that the route may leave open.
            if name.utf8.elementsEqual("sender".utf8) {
                known[name] = settings.first { $0.name.utf8.elementsEqual(name.utf8) }?.isOptional ?? true
            } else {
                reader.note("settings", "'\(name)' is the name of a value of messages")
            }
        }
        let request = reader.object("request") { Request(&$0, known: known) }
        let server = reader.object("mail") { MailServer(&$0, known: known) }
        if !reader.has("request"), !reader.has("mail") { reader.note("request", "is missing") }
        if reader.has("request"), reader.has("mail") { reader.note("mail", "stands beside request: one of them") }
        if reader.has("mail"), channels != [.email] { reader.note("channels", "must be email where mail is there") }
        answer = reader.object("answer") { Answer(&$0) } ?? Answer()
        isRepeatable = reader.bool("repeatable", or: false)
        receipt = reader.object("receipt") { ReceiptForm(&$0, known: settings + secrets) }
        guard reader.mistakeCount == mistakes, let url = request?.url ?? server?.url else { return nil }
        (method, self.url, query, headers) = (request?.method ?? "", url, request?.query ?? [], request?.headers ?? [])
        (auth, body, mail) = (request?.auth ?? .none, request?.body ?? .none, server?.mail)
    }

    /// Why the URL or the sender made from the settings is invalid; `nil`: both are valid.
    func defect(in settings: [String: String], mayBePlain: Bool) -> String? {
        let values = GatewayValues(settings: settings)
        if let base = settings["baseUrl"], base.utf8.last == UInt8(ascii: "/") {
            return "'baseUrl' must not end with a slash: a path follows"
        }
        if let text = url.filled(values.withFiller(of: url)) {
            let defect =
                mail == nil ? OutboundURL.defect(of: text, mayBePlain: mayBePlain) : OutboundURL.mailDefect(of: text)
            if let defect { return "the URL that they make \(defect)" }
        }
        guard let mail else { return nil }
        guard mail.from.filled(values).flatMap({ EmailAddress($0) }) != nil else {
            return "the sender that they make is no e-mail address"
        }
        let hasUser = mail.user?.filled(values) != nil
        return hasUser == (mail.password?.filled(values) != nil) ? nil : "user and password belong together"
    }

    /// Why a key does not have its required form; `nil`: it has.
    func keyDefect(in settings: [String: String]) -> String? {
        if case .standardWebhooks(let secret) = auth, let text = secret.filled(GatewayValues(settings: settings)),
            StandardSecret.key(text) == nil
        {
            return "the secret must be whsec_ and the base64 of 24 to 64 bytes"
        }
        guard let key = receipt?.signature, let text = settings[key.key] else { return nil }
        return key.scheme.defect(ofKey: text).map { "'\(key.key)' \($0)" }
    }

    private static func names(_ name: String, _ reader: inout MemberReader) -> [(name: String, isOptional: Bool)] {
        reader.texts(name, maxCount: 32, maxBytes: 65, reason: "must be letters and digits") { text in
            let bytes = text.utf8.last == UInt8(ascii: "?") ? text.utf8.dropLast() : text.utf8[...]
            return !bytes.isEmpty && bytes.allSatisfy { $0.isLetterOrDigit }
        }.map { text in
            let isOptional = text.utf8.last == UInt8(ascii: "?")
            return (isOptional ? String(text.dropLast()) : text, isOptional)
        }
    }
}

/// The request of a specification, while it is read.
private struct Request {
    private static let methods = ["GET", "POST", "PUT"]
    private static let schemes = ["https://", "http://"]

    let method: String
    let url: GatewayText
    let query: [GatewaySpecification.Field]
    let headers: [GatewaySpecification.Field]
    let auth: GatewaySpecification.Auth
    let body: GatewaySpecification.Body

    /// - Parameter known: the known values, and whether each may be missing.
    init?(_ reader: inout MemberReader, known: [String: Bool]) {
        let texts = TextReader(known: known)
        method = reader.text("method", reason: "must be GET, POST or PUT", where: Self.methods.contains) ?? "POST"
        let url = texts.required("url", &reader)
        if let url, !url.beginsWithValue, let text = url.filled(GatewayValues.filler(url.names.map(\.name))) {
            if let defect = OutboundURL.defect(of: text) { reader.note("url", defect) }
        }
        query = texts.fields("query", &reader)
        headers = texts.fields("headers", &reader)
        for header in headers where !header.name.utf8.allSatisfy(\.isTokenByte) {
            reader.note("headers", "'\(MemberReader.shown(header.name))' is no header name")
        }
        for header in headers where OutboundRequest.ownFields.contains(header.name.lowercased()) {
            reader.note("headers", "'\(MemberReader.shown(header.name))' is written by Holdfast itself")
        }
        auth = reader.object("auth") { texts.auth(&$0) } ?? .none
        let form = texts.fields("form", &reader)
        let json = reader.value("json").map { texts.node($0, at: "json", depth: 0, &reader) }
        if json != nil, !form.isEmpty { reader.note("json", "stands beside form: one of them") }
        body = json.map { .json($0) } ?? (form.isEmpty ? .none : .form(form))
        guard let url else { return nil }
        self.url = url
    }
}

/// The mail server of a specification, while it is read.
private struct MailServer {
    let url: GatewayText
    let mail: GatewaySpecification.Mail

    init?(_ reader: inout MemberReader, known: [String: Bool]) {
        let texts = TextReader(known: known)
        let (url, from) = (texts.required("url", &reader), texts.required("from", &reader))
        let name = texts.optional("name", &reader)
        let (user, password) = (texts.optional("user", &reader), texts.optional("password", &reader))
        let authorities = texts.optional("caFile", &reader)
        guard let url, let from else { return nil }
        self.url = url
        mail = GatewaySpecification.Mail(
            from: from, name: name, user: user, password: password, authorities: authorities)
    }
}

/// Reads texts with placeholders, and checks their names.
private struct TextReader {
    /// Known names, and whether each value may be missing.
    let known: [String: Bool]

    func required(_ name: String, _ reader: inout MemberReader) -> GatewayText? {
        guard let text = reader.text(name, maxBytes: GatewaySpecification.Limit.textBytes, required: true) else {
            return nil
        }
        return read(text, at: name, &reader)
    }

    func optional(_ name: String, _ reader: inout MemberReader) -> GatewayText? {
        reader.text(name, maxBytes: GatewaySpecification.Limit.textBytes).flatMap { read($0, at: name, &reader) }
    }

    func read(_ text: String, at name: String, _ reader: inout MemberReader) -> GatewayText? {
        do throws(GatewayText.Defect) {
            let text = try GatewayText(text)
            for place in text.names {
                guard let mayMiss = known[place.name] else {
                    reader.note(name, "{{\(place.name)}} is no setting and no value of messages")
                    return nil
                }
                if mayMiss, !place.isOptional {
                    reader.note(name, "{{\(place.name)}} may be missing: write {{\(place.name)?}}")
                }
            }
            return text
        } catch {
            reader.note(name, error.reason)
            return nil
        }
    }

    /// An object whose members are texts.
    func fields(_ name: String, _ reader: inout MemberReader) -> [GatewaySpecification.Field] {
        reader.members(name, maxCount: GatewaySpecification.Limit.entries).compactMap { member in
            guard let text = member.value.string, text.utf8.count <= GatewaySpecification.Limit.textBytes else {
                reader.note(name, "'\(MemberReader.shown(member.name))' must be text")
                return nil
            }
            return read(text, at: name, &reader).map { GatewaySpecification.Field(name: member.name, value: $0) }
        }
    }

    func auth(_ reader: inout MemberReader) -> GatewaySpecification.Auth? {
        let basic = reader.texts("basic", maxCount: 2, maxBytes: 256, reason: "must be two texts") { _ in true }
        let bearer = reader.text("bearer", maxBytes: 256)
        let secret = reader.text("standardWebhooks", maxBytes: 256)
        guard [!basic.isEmpty, bearer != nil, secret != nil].count(where: { $0 }) == 1 else {
            reader.note("basic", "one of basic, bearer and standardWebhooks must be there")
            return nil
        }
        if let bearer { return read(bearer, at: "bearer", &reader).map { .bearer($0) } }
        if let secret { return read(secret, at: "standardWebhooks", &reader).map { .standardWebhooks(secret: $0) } }
        guard basic.count == 2, let user = read(basic[0], at: "basic", &reader),
            let password = read(basic[1], at: "basic", &reader)
        else {
            if basic.count != 2 { reader.note("basic", "must be two texts") }
            return nil
        }
        return .basic(user: user, password: password)
    }

    func node(
        _ value: JSONValue, at name: String, depth: Int, _ reader: inout MemberReader
    ) -> GatewaySpecification.Node {
        guard depth < 16 else {
            reader.note(name, "is nested too deep")
            return .value(value)
        }
        if let text = value.string { return read(text, at: name, &reader).map { .text($0) } ?? .value(value) }
        if let array = value.array {
            return .array(array.map { node($0, at: name, depth: depth + 1, &reader) })
        }
        if let object = value.object {
            return .object(
                object.members.map {
                    GatewaySpecification.Member(
                        name: $0.name, node: node($0.value, at: name, depth: depth + 1, &reader))
                })
        }
        return .value(value)
    }
}

extension GatewaySpecification.Answer {
    fileprivate init() {
        (statuses, conditions, prefixes, id, idBetween) = ([], [], [], nil, nil)
        (code, kinds, statusKinds) = ([], [:], [:])
    }

    fileprivate init?(_ reader: inout MemberReader) {
        self.init()
        typealias Limit = GatewaySpecification.Limit
        statuses = reader.list("statuses", maxCount: 32).compactMap { place, value in
            guard let status = value.integer, (200...599).contains(status) else {
                reader.note("statuses", "must be HTTP statuses from 200 to 599")
                return nil
            }
            return Int(status)
        }
        for member in reader.members("where", maxCount: 8) {
            let values = member.value.array ?? [member.value]
            guard let pointer = GatewayPointer(member.name), !values.isEmpty, values.allSatisfy({ $0.string != nil })
            else {
                reader.note("where", "must be JSON pointers, each with a text or a list of texts")
                continue
            }
            conditions.append(Condition(pointer: pointer, values: values.compactMap(\.string)))
        }
        prefixes = reader.texts("prefixes", maxCount: 8, maxBytes: 64, reason: "must be texts") { !$0.isEmpty }
            .map { Array($0.utf8) }
        id = reader.pointer("id")
        idBetween = reader.object("idBetween") { inner in
            guard let before = inner.text("before", maxBytes: 64, required: true),
                let after = inner.text("after", maxBytes: 64, required: true)
            else { return nil }
            return Between(before: Array(before.utf8), after: Array(after.utf8))
        }
        code = reader.texts("code", maxCount: 8, maxBytes: GatewayPointer.maxBytes, reason: "must be JSON pointers") {
            GatewayPointer($0) != nil
        }.compactMap(GatewayPointer.init)
        kinds = reader.kinds("kinds", maxCount: Limit.kinds)
        for (status, kind) in reader.kinds("statusKinds", maxCount: 64) {
            guard let status = Int(status), (200...599).contains(status) else {
                reader.note("statusKinds", "must have HTTP statuses from 200 to 599")
                continue
            }
            statusKinds[status] = kind
        }
    }
}
