package import Possession
internal import StrictJSON

/// The sandbox users, read from `config/sandbox-users.json` (contract section 2).
///
///     {"users": [{"number": "2001004014", "name": "Lorant Nerger", "region": "NA", "product": "unify"}]}
///
/// Further members of a user, each with its default:
///
///     "otp": "pass"                 or "fail": no code passes
///     "codes": ["1234"]             1 to 8 codes that pass, of 4 to 6 digits; the first of a length is sent
///     "delivery": "ok"              or "fail": the carrier refuses every message; "undelivered": it accepts them and
///                                   reports that they did not arrive; "silent": they arrive without a report; or
///         {"whatsapp": "undelivered"}   a word for each channel, "ok" for the others
///     "deliveryDelaySeconds": 0     to 600: messages arrive this much later, by the sandbox clock
///     "mobileAuth": "unavailable"   or "match", "mismatch", "timeout", "operator-error"
///     "reputation": "pass"          or "fail"
///     "reputationReasons":          for "fail": 1 to 16 codes of the fraud policy, each with its text
///         {"9133": "low SIM trust score"}
///     "simSwap"                     none: the SIM was never swapped; or "no-sim", "not-applicable", "unavailable"; or
///         {"hoursAgo": 12,          hours from the last swap to the reading of the file
///          "monitoredDays": 30}     an older swap is not reported
///     "link": "open"                or "approve", "deny": at once; "mismatch": an approval fails
///     "withoutClient": false        or true: passes at once
///     "verify":                     the result of verifications, instead of the one from the person's data
///         {"success": true, "assuranceLevel": "AL1", "reasons": ["AL1a"]}
///     "emailAddress"                none; codes by e-mail are sent there, with the same script
///     "credentials"                 none; 1 to 32 named texts by which the user is found: a query with all of them,
///         {"clientNumber": "12345"}     and possibly more, finds the user
///     "codesTo": "number"           or "email": the destination of codes for a user found by credentials
///     "note", "person"              none
///
/// A person has a first and a last name, and may have further data, such as the answer of the compliance add-on
/// (Prove 6.4). All members of that answer are optional except those shown here:
///
///     {"firstName": "A", "lastName": "B", "dob": "1995-07-26", "ssn": "490959347", "emailAddresses": ["a@b.c"],
///      "addresses": [{"address": "1 Main St", "city": "C", "region": "AR", "postalCode": "72204"}],
///      "idv": {"multiCIPConfidence": "HIGH", "dataSource1": {}, "dataSource2": {}},
///      "kyc": {"totalHits": 1, "amlTypeLists": [
///          {"amlType": "PEP", "listHits": 1, "fields": [{"name": "Country", "value": "US"}]}]}}
package struct SandboxUsersFile: Sendable {
    /// All mistakes of a file, in order: the place, such as `users[3].otp`, and the reason.
    package struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
        package let all: [String]

        package init(all: [String]) {
            self.all = all
        }

        package var description: String { all.joined(separator: "\n") }
    }

    package struct Entry: Sendable {
        package let user: SandboxUser
        package let person: Person?
    }

    enum Limit {
        static let fileBytes = 8 << 20
        static let users = 10_000
        static let nameBytes = 128
    }

    /// In the order of the file.
    package let entries: [Entry]

    package var users: [SandboxUser] { entries.map(\.user) }

    /// - Throws: `Mistakes`, all of the file at once. A file that is not JSON has one: the line and the reason.
    package init(_ bytes: [UInt8]) throws(Mistakes) {
        guard bytes.count <= Limit.fileBytes else {
            throw Mistakes(all: ["the file is larger than \(Limit.fileBytes) bytes"])
        }
        var top: MemberReader
        do {
            top = MemberReader(try JSONObject.parse(bytes, limits: .trusted), at: "")
        } catch {
            throw Mistakes(all: ["line \(Self.line(at: error.offset, of: bytes)): \(error.reason)"])
        }
        var entries: [Entry] = []
        var mistakes: [String] = []
        var seen: [Target: String] = [:]
        for (place, value) in top.list("users", maxCount: Limit.users, required: true) {
            guard var reader = MemberReader.reader(of: value, at: place, mistakes: &mistakes) else { continue }
            if let entry = Self.entry(&reader, at: place, seen: &seen) { entries.append(entry) }
            mistakes += reader.allMistakes()
        }
        mistakes = top.allMistakes() + mistakes
        guard mistakes.isEmpty else { throw Mistakes(all: mistakes) }
        self.entries = entries
    }

    /// `nil` after a mistake in a required member.
    private static func entry(
        _ reader: inout MemberReader, at place: String, seen: inout [Target: String]
    ) -> Entry? {
        let region = reader.choice("region", of: [SandboxUser.Region.northAmerica, .international])
        let number = number(&reader, region: region, at: place, seen: &seen)
        let emailAddress = emailAddress(&reader, at: place, seen: &seen)
        let credentials = credentials(&reader)
        let codesTo = reader.choice("codesTo", of: CodesTo.allCases, or: CodesTo.number)
        if codesTo == .email, emailAddress == nil { reader.note("codesTo", "needs an emailAddress") }
        let name = reader.text("name", maxBytes: Limit.nameBytes, required: true)
        let product = reader.choice("product", of: SandboxProduct.allCases)
        let script = SandboxScript(&reader)
        let person = Person.read("person", in: &reader)
        guard let region, let number, let name, let product, let script else { return nil }
        let user = script.user(
            digits: number.digits, number: number.e164, emailAddress: emailAddress, credentials: credentials,
            isReachedByEmail: codesTo == .email, name: name, region: region, product: product)
        return Entry(user: user, person: person)
    }

    /// Ten digits in North America, otherwise `+` and all digits. Two users must not have the same number.
    private static func number(
        _ reader: inout MemberReader, region: SandboxUser.Region?, at place: String, seen: inout [Target: String]
    ) -> (digits: String, e164: PhoneNumber)? {
        let isNational = region == .northAmerica
        let reason = isNational ? "must be ten digits" : "must be + and 5 to 15 digits"
        let read = { (text: String) -> PhoneNumber? in
            guard isNational else { return PhoneNumber(e164: text) }
            return text.utf8.count == 10 ? PhoneNumber(e164: "+1" + text) : nil
        }
        // Without a region, the required form is unknown.
        let isRight = { (text: String) in region == nil || read(text) != nil }
        guard let text = reader.text("number", required: true, reason: reason, where: isRight), let number = read(text),
            region != nil
        else { return nil }
        if let other = seen[.number(number)] {
            reader.note("number", "is that of \(other) already")
            return nil
        }
        seen[.number(number)] = place
        return (text, number)
    }

    /// Two users must not have the same address.
    private static func emailAddress(
        _ reader: inout MemberReader, at place: String, seen: inout [Target: String]
    ) -> EmailAddress? {
        let name = "emailAddress"
        let text = reader.text(name, reason: "must be an e-mail address") { EmailAddress($0) != nil }
        guard let address = text.flatMap({ EmailAddress($0) }) else { return nil }
        if let other = seen[.email(address)] { reader.note(name, "is that of \(other) already") }
        seen[.email(address)] = place
        return address
    }

    private enum CodesTo: String, CaseIterable { case number, email }

    private static func credentials(_ reader: inout MemberReader) -> Identification? {
        let name = "credentials"
        guard let value = reader.value(name) else { return nil }
        let entries = value.object?.members.compactMap { member in
            member.value.string.map { Identification.Entry(member.name, $0) }
        }
        guard let entries, entries.count == value.object?.count, let credentials = Identification(entries) else {
            reader.note(
                name,
                """
                must be an object of 1 to \(Identification.mostEntries) texts, names of at most \(Identification.longestName) \
                bytes and texts of at most \(Identification.longestValue)
                """)
            return nil
        }
        return credentials
    }

    /// The line of a byte, counted from 1.
    private static func line(at offset: Int, of bytes: [UInt8]) -> Int {
        1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }
}
