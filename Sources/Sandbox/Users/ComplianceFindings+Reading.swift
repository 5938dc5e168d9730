internal import Possession
internal import StrictJSON

extension ComplianceFindings {
    /// Reads the members `idv` and `kyc` of a sandbox user's person; `nil` if both are missing.
    static func read(in person: inout MemberReader) -> ComplianceFindings? {
        ComplianceFindings(
            verification: person.object("idv", IdentityVerification.read), kyc: person.object("kyc", KYCFindings.read))
    }
}

extension IdentityVerification {
    private static let maxReasonCodes = 32

    fileprivate static func read(_ reader: inout MemberReader) -> IdentityVerification? {
        let confidence = reader.text("multiCIPConfidence", maxBytes: Person.Limit.textBytes, required: true)
        let first = reader.object("dataSource1", DataSource.read)
        let second = reader.object("dataSource2", DataSource.read)
        return confidence.map { IdentityVerification(multiCIPConfidence: $0, dataSource1: first, dataSource2: second) }
    }

    fileprivate static func reasonCodes(in reader: inout MemberReader) -> [String] {
        var mistakes: [String] = []
        let codes = reader.list("reasonCodes", maxCount: maxReasonCodes).compactMap { place, value in
            let mistake = MemberReader.textMistake(value, maxBytes: Person.Limit.textBytes)
            if let mistake { mistakes.append("\(place): \(mistake)") }
            return mistake == nil ? value.string : nil
        }
        reader.adopt(mistakes)
        return codes
    }
}

extension IdentityVerification.DataSource {
    fileprivate static func read(_ reader: inout MemberReader) -> Self? {
        var source = Self()
        source.cipConfidence = reader.text("cipConfidence", maxBytes: Person.Limit.textBytes)
        source.reasonCodes = IdentityVerification.reasonCodes(in: &reader)
        source.address = reader.object("address", IdentityVerification.Address.read)
        source.email = reader.object("email") { email in
            var read = IdentityVerification.Email()
            read.emailAddress = email.flag("emailAddress")
            return read
        }
        source.identifiers = reader.object("identifiers") { identifiers in
            var read = IdentityVerification.Identifiers()
            read.dob = identifiers.flag("dob")
            read.last4 = identifiers.flag("last4")
            read.ssn = identifiers.flag("ssn")
            return read
        }
        source.name = reader.object("name") { name in
            var read = IdentityVerification.Name()
            read.firstName = name.figure("firstName")
            read.lastName = name.figure("lastName")
            read.nameScore = name.figure("nameScore")
            return read
        }
        return source
    }
}

extension IdentityVerification.Address {
    fileprivate static func read(_ reader: inout MemberReader) -> Self? {
        var address = Self()
        address.addressScore = reader.figure("addressScore")
        address.distance = reader.number("distance", upTo: IdentityVerification.maxFigure)
        address.streetNumber = reader.figure("streetNumber")
        address.street = reader.flag("street")
        address.city = reader.flag("city")
        address.region = reader.flag("region")
        address.postalCode = reader.flag("postalCode")
        return address
    }
}

extension KYCFindings {
    fileprivate static func read(_ reader: inout MemberReader) -> KYCFindings? {
        let totalHits = reader.wholeNumber("totalHits", in: 0...Limit.hits, required: true)
        let types = reader.objects("amlTypeLists", maxCount: Limit.listTypes, ListType.read)
        return totalHits.map { KYCFindings(totalHits: $0, amlTypeLists: types) }
    }
}

extension KYCFindings.ListType {
    fileprivate static func read(_ reader: inout MemberReader) -> Self? {
        let amlType = reader.text("amlType", maxBytes: Person.Limit.textBytes, required: true)
        let listHits = reader.wholeNumber("listHits", in: 0...KYCFindings.Limit.hits, required: true)
        let fields = reader.objects("fields", maxCount: KYCFindings.Limit.fields, KYCFindings.Field.read)
        guard let amlType, let listHits else { return nil }
        return Self(amlType: amlType, listHits: listHits, fields: fields)
    }
}

extension KYCFindings.Field {
    fileprivate static func read(_ reader: inout MemberReader) -> Self? {
        let name = reader.text("name", maxBytes: Person.Limit.textBytes, required: true)
        let source = reader.text("source", maxBytes: Person.Limit.textBytes)
        let value = reader.text("value", maxBytes: Person.Limit.textBytes, required: true)
        guard let name, let value else { return nil }
        return Self(name: name, source: source, value: value)
    }
}

extension MemberReader {
    /// Reads a score.
    fileprivate mutating func figure(_ name: String) -> Int? {
        wholeNumber(name, in: 0...IdentityVerification.maxFigure, required: false)
    }
}
