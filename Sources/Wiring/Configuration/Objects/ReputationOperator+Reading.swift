internal import Outbound
internal import StrictJSON
internal import Text

extension Configuration {
    /// Reads `reputation.operators`. An operator of `mobileAuth` with the same name supplies the token URL and this
    /// server's client id.
    static func readReputationOperators(
        _ configuration: inout Configuration, _ object: JSONObject, _ reader: inout ConfigurationReader
    ) {
        if reader.mode == .sandbox {
            reader.refuse("reputation.operators", "the users file has the standing of numbers")
        }
        if reader.isSet("reputation.url") {
            reader.refuse("reputation.operators", "reputation.url is set: there can be only one of the two")
        }
        let known = reader.mistakes.count
        let others = configuration.mobileAuth.operators
        configuration.reputation.operators = object.members.map { member in
            ReputationOperator(&reader, member, others.first { $0.name.isSame(as: member.name) })
        }
        // Check the values only if all of them have the right form.
        guard reader.mistakes.count == known else { return }
        for defect in configuration.reputation.defects { reader.refuse(at: defect.path, defect.reason) }
    }
}

extension Configuration.Reputation {
    /// The operators in the form of the file.
    var printedOperators: JSONObject? {
        var named = JSONObject()
        for network in operators { named.set(network.name, network.settings) }
        return operators.isEmpty ? nil : named
    }
}

extension Configuration.ReputationOperator {
    private static let members = [
        "tokenUrl", "clientId", "prefixes", "simSwapUrl", "numberRecyclingUrl", "tokenWay", "simSwapCall",
    ]

    /// Checks only the form. The operator's adapter checks URLs and prefixes when it is made.
    fileprivate init(
        _ reader: inout ConfigurationReader, _ member: JSONObject.Member,
        _ namesake: Configuration.NetworkOperator?
    ) {
        let path = "reputation.operators.\(member.name)"
        name = member.name
        let object = member.value.object ?? JSONObject()
        if member.value.object == nil { reader.refuse(at: path, "must be an object") }
        for name in object.names where !Self.members.contains(name) {
            reader.refuseUnknown(name, under: path, known: Self.members)
        }
        let text = { (name: String, reader: inout ConfigurationReader) -> String? in
            guard let value = object[name] else { return nil }
            if let text = value.string, !text.isEmpty { return text }
            reader.refuse(at: "\(path).\(name)", "must be a string that is not empty")
            return nil
        }
        let needed = { (name: String, other: String?, reader: inout ConfigurationReader) -> String in
            if let text = text(name, &reader) ?? (object[name] == nil ? other : nil) { return text }
            if object[name] == nil { reader.refuse(at: "\(path).\(name)", "must be a string that is not empty") }
            return ""
        }
        tokenURL = needed("tokenUrl", namesake?.tokenURL, &reader)
        clientID = needed("clientId", namesake?.clientID, &reader)
        simSwapURL = text("simSwapUrl", &reader)
        recyclingURL = text("numberRecyclingUrl", &reader)
        tokenWay = Self.choice(object, "tokenWay", path, &reader) ?? .clientCredentials
        simSwapCall = Self.choice(object, "simSwapCall", path, &reader) ?? .check
        prefixes = (object["prefixes"]?.array ?? []).compactMap(\.string)
        if prefixes.isEmpty || prefixes.count != object["prefixes"]?.array?.count {
            reader.refuse(at: "\(path).prefixes", "must be a list of what its numbers begin with, such as +4915")
        }
    }

    /// One of several words; `nil`: the member is missing, or has another word.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ object: JSONObject, _ name: String, _ path: String, _ reader: inout ConfigurationReader
    ) -> Choice? {
        guard let value = object[name] else { return nil }
        if let choice = value.string.flatMap(Choice.init) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        reader.refuse(at: "\(path).\(name)", "must be one of: " + words)
        return nil
    }
}

extension Configuration.ReputationOperator {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("tokenUrl", tokenURL)
        object.set("clientId", clientID)
        object.set("prefixes", prefixes)
        object.set("simSwapUrl", simSwapURL)
        object.set("numberRecyclingUrl", recyclingURL)
        object.set("tokenWay", tokenWay.rawValue)
        object.set("simSwapCall", simSwapCall.rawValue)
        return object
    }
}
