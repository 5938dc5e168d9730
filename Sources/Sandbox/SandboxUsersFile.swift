package import Possession
internal import StrictJSON

/// The sandbox users, as `config/sandbox-users.json` lists them (contract section 2).
///
///     {"users": [{"number": "2001004014", "name": "Lorant Nerger", "region": "NA", "product": "unify"}]}
///
/// Also in a user, each with its default:
///
///     "otp": "pass"                 or "fail": no code passes
///     "codes": ["1234"]             1 to 8 codes that pass, of 4 to 6 digits; the first of a length is sent
///     "delivery": "ok"              or "fail": the carrier refuses every message; "undelivered": it takes them, and
///                                   says that they did not arrive; "silent": they arrive, and it never says so; or
///         {"whatsapp": "undelivered"}   a word for each channel, "ok" for the others
///     "deliveryDelaySeconds": 0     to 600: messages arrive so much later, by the sandbox clock
///     "mobileAuth": "unavailable"   or "match", "mismatch", "timeout", "operator-error"
///     "reputation": "pass"          or "fail"
///     "reputationReasons":          of a "fail": 1 to 16 codes of the fraud policy, each with its text
///         {"9133": "low SIM trust score"}
///     "simSwap"                     none: the SIM was never swapped; or "no-sim", "not-applicable", "unavailable"; or
///         {"hoursAgo": 12,          of the last swap, when the file was read
///          "monitoredDays": 30}     a swap that is longer ago is not named
///     "link": "open"                or "approve", "deny": at once; "mismatch": an approval fails
///     "withoutClient": false        or true: passes at once
///     "verify":                     how verifications end, where the person alone does not say
///         {"success": true, "assuranceLevel": "AL1", "reasons": ["AL1a"]}
///     "emailAddress"                none; codes by e-mail go there, by the same script
///     "credentials"                 none: what the user is found by where somebody says who they are: 1 to 32 texts by
///         {"clientNumber": "12345"}     name; whoever says all of them, and perhaps more, is the user
///     "codesTo": "number"           or "email": where the codes go of a user who is found so
///     "note", "person"              none
///
/// A person has a first and a last name, and may have what is known besides, among it what the compliance add-on
/// answers (Prove 6.4), whose every member may be left out but those shown here:
///
///     {"firstName": "A", "lastName": "B", "dob": "1995-07-26", "ssn": "490959347", "emailAddresses": ["a@b.c"],
///      "addresses": [{"address": "1 Main St", "city": "C", "region": "AR", "postalCode": "72204"}],
///      "idv": {"multiCIPConfidence": "HIGH", "dataSource1": {}, "dataSource2": {}},
///      "kyc": {"totalHits": 1, "amlTypeLists": [
///          {"amlType": "PEP", "listHits": 1, "fields": [{"name": "Country", "value": "US"}]}]}}
package struct SandboxUsersFile: Sendable {
    /// Every mistake of a file, in its order: the place, such as `users[3].otp`, and the reason.
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

    /// - Throws: `Mistakes`, all of the file at once. A file that is no JSON has one: the line and the reason.
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

    /// `nil` after a mistake in a member that is required.
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

    /// Ten digits in North America, else `+` and all digits; no two users with the same.
    private static func number(
        _ reader: inout MemberReader, region: SandboxUser.Region?, at place: String, seen: inout [Target: String]
    ) -> (digits: String, e164: PhoneNumber)? {
        let isNational = region == .northAmerica
        let reason = isNational ? "must be ten digits" : "must be + and 5 to 15 digits"
        let read = { (text: String) -> PhoneNumber? in
            guard isNational else { return PhoneNumber(e164: text) }
            return text.utf8.count == 10 ? PhoneNumber(e164: "+1" + text) : nil
        }
        // Without a region nobody knows which form is due.
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

    /// No two users have the same.
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
