internal import StrictJSON

extension Configuration {
    /// Reads `mobileAuth.operators`.
    static func readMobileOperators(
        _ configuration: inout Configuration, _ object: JSONObject, _ reader: inout ConfigurationReader
    ) {
        if reader.mode == .sandbox { reader.refuse("mobileAuth.operators", "the sandbox plays the operator itself") }
        let known = reader.mistakes.count
        configuration.mobileAuth.operators = object.members.map { NetworkOperator(&reader, $0) }
        // Check the values only if all of them have the right form.
        guard reader.mistakes.count == known else { return }
        for defect in configuration.mobileAuth.defects { reader.refuse(at: defect.path, defect.reason) }
    }
}

extension Configuration.MobileAuth {
    /// The operators in the form of the file.
    var printedOperators: JSONObject? {
        var named = JSONObject()
        for network in operators { named.set(network.name, network.settings) }
        return operators.isEmpty ? nil : named
    }
}

extension Configuration.NetworkOperator {
    private static let members = ["authorizeUrl", "tokenUrl", "apiUrl", "clientId", "networks", "plmns"]

    /// Checks only the form. The operator's adapter checks URLs and networks when it is made.
    fileprivate init(_ reader: inout ConfigurationReader, _ member: JSONObject.Member) {
        let path = "mobileAuth.operators.\(member.name)"
        name = member.name
        let object = member.value.object ?? JSONObject()
        if member.value.object == nil { reader.refuse(at: path, "must be an object") }
        for name in object.names where !Self.members.contains(name) {
            reader.refuseUnknown(name, under: path, known: Self.members)
        }
        let text = { (name: String, reader: inout ConfigurationReader) -> String in
            if let text = object[name]?.string, !text.isEmpty { return text }
            reader.refuse(at: "\(path).\(name)", "must be a string that is not empty")
            return ""
        }
        authorizeURL = text("authorizeUrl", &reader)
        tokenURL = text("tokenUrl", &reader)
        apiURL = text("apiUrl", &reader)
        clientID = text("clientId", &reader)
        networks = (object["networks"]?.array ?? []).compactMap(\.string)
        if networks.isEmpty || networks.count != object["networks"]?.array?.count {
            reader.refuse(at: "\(path).networks", "must be a list of address blocks such as 198.51.100.0/24")
        }
        plmns = (object["plmns"]?.array ?? []).compactMap(\.string)
        if let given = object["plmns"], plmns.count != given.array?.count {
            reader.refuse(at: "\(path).plmns", "must be a list of mobile networks by MCC and MNC, such as \"26201\"")
        }
    }
}

extension Configuration.NetworkOperator {
    fileprivate var settings: JSONObject {
        var object = JSONObject()
        object.set("authorizeUrl", authorizeURL)
        object.set("tokenUrl", tokenURL)
        object.set("apiUrl", apiURL)
        object.set("clientId", clientID)
        object.set("networks", networks)
        if !plmns.isEmpty { object.set("plmns", plmns) }
        return object
    }
}
