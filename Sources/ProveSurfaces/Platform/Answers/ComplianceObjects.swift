internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// The blocks of the compliance add-on in an answer (Prove 6.4). If a data source has no value for a member, it is left
/// out: no member is null or empty.
extension ComplianceFindings {
    var idvObject: JSONObject? { verification?.object }
    var kycObject: JSONObject? { kyc?.object }
}

extension IdentityVerification {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("multiCIPConfidence", multiCIPConfidence)
        object.set(filled: "dataSource1", dataSource1?.object)
        object.set(filled: "dataSource2", dataSource2?.object)
        return object
    }
}

extension IdentityVerification.DataSource {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("cipConfidence", cipConfidence)
        if !reasonCodes.isEmpty { object.set("reasonCodes", reasonCodes) }
        object.set(filled: "address", address?.object)
        object.set(filled: "email", ["emailAddress": (email?.emailAddress).map { .bool($0) }])
        object.set(filled: "identifiers", identifiers?.object)
        object.set(filled: "name", name?.object)
        return object
    }
}

extension IdentityVerification.Address {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("addressScore", addressScore)
        object["distance"] = distance.map(Self.number)
        object.set("streetNumber", streetNumber)
        object.set("street", street)
        object.set("city", city)
        object.set("region", region)
        object.set("postalCode", postalCode)
        return object
    }

    /// Whole numbers without a fraction, as in most sources. A distance is finite (see its reader), so its Swift text
    /// is a valid JSON number.
    private static func number(_ distance: Double) -> JSONValue {
        Int64(exactly: distance).map { .integer($0) } ?? .number("\(distance)")
    }
}

extension IdentityVerification.Identifiers {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("dob", dob)
        object.set("last4", last4)
        object.set("ssn", ssn)
        return object
    }
}

extension IdentityVerification.Name {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("firstName", firstName)
        object.set("lastName", lastName)
        object.set("nameScore", nameScore)
        return object
    }
}

extension KYCFindings {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("totalHits", totalHits)
        if !amlTypeLists.isEmpty { object.set("amlTypeLists", amlTypeLists.map(\.object)) }
        return object
    }
}

extension KYCFindings.ListType {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("amlType", amlType)
        object.set("listHits", listHits)
        if !fields.isEmpty { object.set("fields", fields.map(\.object)) }
        return object
    }
}

extension KYCFindings.Field {
    fileprivate var object: JSONObject {
        var object = JSONObject()
        object.set("name", name)
        object.set("source", source)
        object.set("value", value)
        return object
    }
}

extension JSONObject {
    /// Also leaves out an empty object.
    fileprivate mutating func set(filled name: String, _ object: JSONObject?) {
        set(name, object?.isEmpty == true ? nil : object)
    }
}
