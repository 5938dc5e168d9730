internal import Outbound
internal import Possession
internal import StrictJSON

extension Configuration.Reputation {
    /// - Parameter mobileAuth: an operator of the same name lends its token URL and our name there.
    init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?, _ mobileAuth: Configuration.MobileAuth) {
        url = reader.text(.reputationURL)
        secretFile = reader.text(.reputationSecretFile)
        whenUnknown = reader.text(.reputationWhenUnknown).flatMap(ReputationCheck.WhenUnknown.init) ?? .fail
        simSwapHours = reader.integer(.simSwapHours) ?? 24
        timeoutSeconds = reader.integer(.reputationTimeout) ?? 3
        circuitFailures = reader.integer(.reputationFailures) ?? 5
        circuitPauseSeconds = reader.integer(.reputationPause) ?? 30
        operators = []
        let (hasURL, hasSecret) = (reader.isSet(.reputationURL), reader.isSet(.reputationSecretFile))
        if hasURL, mode == .sandbox { reader.refuse(.reputationURL, "the users file has the standing of numbers") }
        if let defect = urlDefect { reader.refuse(.reputationURL, defect) }
        if hasURL && !hasSecret { reader.refuse(.reputationSecretFile, "missing; reputation.url needs it") }
        if hasSecret && !hasURL { reader.refuse(.reputationURL, "missing; reputation.secretFile is for it") }
        readOperators(&reader, mode, mobileAuth)
    }

    private mutating func readOperators(
        _ reader: inout ConfigurationReader, _ mode: Configuration.Mode?, _ mobileAuth: Configuration.MobileAuth
    ) {
        guard let object = reader.object(.reputationOperators) else {
            if reader.isSet(.reputationOperators) {
                reader.refuse(.reputationOperators, ConfigurationKey.reputationOperators.demand)
            }
            return
        }
        if mode == .sandbox {
            reader.refuse(.reputationOperators, "the users file has the standing of numbers")
        }
        if reader.isSet(.reputationURL) {
            reader.refuse(.reputationOperators, "reputation.url is set: there can be only one of the two")
        }
        let known = reader.mistakes.count
        for member in object.members {
            let namesake = mobileAuth.operators.first { $0.name.utf8.elementsEqual(member.name.utf8) }
            operators.append(Configuration.ReputationOperator(&reader, member, namesake))
        }
        // The values are only checked where all of them have the right form.
        guard reader.mistakes.count == known else { return }
        for defect in defects { reader.refuse(at: defect.path, defect.reason) }
    }
}

extension Configuration.ReputationOperator {
    private static let members = [
        "tokenUrl", "clientId", "prefixes", "simSwapUrl", "numberRecyclingUrl", "tokenWay", "simSwapCall",
    ]

    /// The form; whether URLs and prefixes are good ones, the operator's adapter tells when it is made.
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

    /// One of a few words; `nil` where the member is not there, or is none of them.
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
