internal import Administration
internal import Possession
internal import Sandbox
internal import StrictJSON
internal import Text

extension Configuration {
    /// Reads `sandbox.clients`.
    static func readSandboxClients(
        _ configuration: inout Configuration, _ object: JSONObject, _ reader: inout ConfigurationReader
    ) {
        let clients = object.members.compactMap { SandboxClient(&reader, $0) }
        configuration.sandbox?.clients = clients
        let keys = clients.flatMap { client in
            [client.apiKey?.text, client.sdkKey?.text, client.application?.key].compactMap { $0.map { ByteText($0) } }
        }
        if Set(keys).count < keys.count { reader.refuse("sandbox.clients", "no two may have the same key") }
    }
}

extension Configuration.Sandbox {
    /// The clients in the form of the file, without secrets.
    var printedClients: JSONObject {
        var named = JSONObject()
        for client in clients { named.set(client.id, client.settings) }
        return named
    }
}

extension Configuration.SandboxClient {
    private static let members =
        ["secret", "apiKey", "sdkKey", "application", "products"] + TenantMember.all.map(\.name)

    /// The length of a secret in characters. Only a sandbox accepts short ones.
    private static let secretLength = 8...256

    fileprivate init?(_ reader: inout ConfigurationReader, _ member: JSONObject.Member) {
        let path = "sandbox.clients.\(member.name)"
        guard ClientID(member.name) != nil, let object = member.value.object else {
            reader.refuse(
                "sandbox.clients", "each member must be a client id (1-64 of A-Z a-z 0-9 . _ -) with an object")
            return nil
        }
        for name in object.names where !Self.members.contains(name) {
            reader.refuseUnknown(name, under: path, known: Self.members)
        }
        let secret = object["secret"]?.string
        if !(secret.map { Self.secretLength.contains($0.utf8.count) } ?? false) {
            reader.refuse(at: "\(path).secret", "must be a string of 8 to 256 characters")
        }
        id = member.name
        self.secret = Secret(secret ?? "")
        apiKey = Self.key("apiKey", "hf_test_", object, path, &reader)
        sdkKey = Self.key("sdkKey", "sdk_", object, path, &reader)
        application = object["application"].flatMap { value in
            value == .null
                ? nil : Configuration.SandboxApplication(&reader, value, at: "\(path).application")
        }
        rules = TenantRules(allowPhoneChange: true, mobileAuth: true, smartChannels: [.whatsapp, .sms])
        for entry in object.members {
            guard let member = TenantMember.named(entry.name), entry.value == .null || !member.set(entry.value, &rules)
            else { continue }
            reader.refuse(at: "\(path).\(entry.name)", "must be \(member.demand)")
        }
        rules.anyFinalTargetHost = rules.finalTargetHosts.isEmpty
        products = Self.products(object, path, &reader)
    }

    private static func key(
        _ name: String, _ prefix: String, _ object: JSONObject, _ path: String, _ reader: inout ConfigurationReader
    ) -> Secret? {
        guard let value = object[name], value != .null else { return nil }
        let text = value.string.flatMap { text in
            text.begins(with: prefix) && secretLength.contains(text.utf8.count)
                && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? text : nil
        }
        guard let text else {
            reader.refuse(
                at: "\(path).\(name)", "must be \(prefix) and more visible characters, 8 to 256 in all")
            return nil
        }
        return Secret(text)
    }

    private static func products(
        _ object: JSONObject, _ path: String, _ reader: inout ConfigurationReader
    ) -> Set<SandboxProduct>? {
        guard let value = object["products"] else { return nil }
        let names = value.array?.compactMap(\.string).compactMap(SandboxProduct.init)
        guard let names, names.count == value.array?.count else {
            let all = SandboxProduct.allCases.map(\.rawValue).joined(separator: ", ")
            reader.refuse(at: "\(path).products", "must be a list of: \(all)")
            return nil
        }
        return Set(names)
    }

    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("secret", secret.description)
        object.set("apiKey", apiKey?.description)
        object.set("sdkKey", sdkKey?.description)
        object.set("application", application?.settings)
        for member in TenantMember.object(rules).members where member.value != .array([]) {
            object[member.name] = member.value
        }
        object.set("products", products.map { $0.map(\.rawValue).sorted() })
        return object
    }
}
