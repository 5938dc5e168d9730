@testable import Administration
@testable import Engine
@testable import Possession
@testable import Sandbox
internal import StrictJSON
@testable import Wiring

extension FuzzTarget {
    /// The file of sandbox users.
    static let sandboxUsers = FuzzTarget("sandbox-users", maxBytes: 8192) { bytes in
        do throws(SandboxUsersFile.Mistakes) {
            let file = try SandboxUsersFile(bytes)
            require(Set(file.users.map(\.number)).count == file.users.count, "a number once")
            let users = SandboxUsers(file.users)
            for user in file.users {
                require(users.user(user.number) === user, "a user is found by number")
                require(users.user(sentAs: user.digits) === user, "and by the digits that are sent")
            }
        } catch {
            require(!error.all.isEmpty, "a refusal has a reason")
            // Reasons name places, and never what stands there: they are as long as the names of members.
            require(error.all.allSatisfy { $0.utf8.count < 2048 + bytes.count }, "a reason is short")
        }
    }

    /// Files of people. The first byte says of which form, and in what pieces they are read.
    static let people = FuzzTarget("people", maxBytes: 8192) { bytes in
        var choices = Choices(bytes)
        let choice = choices.byte()
        let format = choice & 1 == 0 ? PeopleFile.Format.csv : .jsonl
        let text = Array(choices.rest)
        let whole = PeopleRows(text, format, blockBytes: 65_536)
        require(PeopleRows(text, format, blockBytes: 1 + choice >> 1) == whole, "the same in other blocks")
        for person in whole.people {
            // The server takes everything that the command sends.
            let body = SavePeople.call.written(SavePeople(people: [person])).body
            guard let taken = try? SavePeople.call.read(body) else {
                fatalError("does not hold: a sound row is taken")
            }
            require(taken.people == [person], "and as the same person")
        }
    }

    /// Orders on the control socket. The first byte says which.
    static let control = FuzzTarget("control", maxBytes: 2048) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 9)
        let body = Array(choices.rest)
        switch kind {
        case 0: check(AddClient.self, body)
        case 1: check(UpdateClient.self, body)
        case 2: check(RotateClientSecret.self, body)
        case 3: check(SavePeople.self, body)
        case 4: check(ListPeople.self, body)
        case 5: check(EraseNumber.self, body)
        case 6: check(ShowNumber.self, body)
        case 7: check(UnlockNumber.self, body)
        default: check(AddAPIKey.self, body)
        }
    }

    /// An order is written in one way, and read again as the same.
    private static func check<O: Order>(_ order: O.Type, _ body: [UInt8]) {
        guard let order = try? O.call.read(body, id: "acme") else { return }
        let written = O.call.written(order)
        guard let again = try? O.call.read(written.body, id: "acme") else {
            fatalError("does not hold: the server takes what a command writes")
        }
        require(O.call.written(again) == written, "the same after writing")
    }

    /// The texts of messages.
    static let texts = FuzzTarget("texts", maxBytes: 4096) { bytes in
        let catalog: MessageCatalog
        do throws(TextsFile.Mistakes) { catalog = try TextsFile(bytes).catalog } catch {
            require(!error.all.isEmpty, "what is refused says why")
            require(error.all.allSatisfy { $0.utf8.count <= 512 }, "in a few words")
            return
        }
        for entry in catalog.entries {
            for locale in entry.locales {
                let found = catalog.text(entry.purpose, over: entry.channel, to: entry.country, for: [locale])
                require(found?.entry == entry, "a text is found by its own language")
            }
        }
        for purpose in MessageCatalog.Purpose.allCases {
            for channel in MessageCatalog.Channel.allCases {
                require(catalog.text(purpose, over: channel, to: "US", for: []) != nil, "there is always a text")
            }
        }
        let check = CatalogCheck(
            catalog,
            CatalogCheck.Surroundings(
                brands: ["Zoë"], hosts: ["a.example"], linkURL: "https://a.example", codeLifetimeSeconds: 120,
                linkLifetimeSeconds: 180))
        let count = catalog.entries.filter { $0.channel == .sms }.reduce(0) { $0 + $1.locales.count }
        require(check.lines.count == count, "every text of an SMS is counted")
    }

    /// The configuration file.
    static let configuration = FuzzTarget("configuration", maxBytes: 8192) { bytes in
        let plain = ConfigurationFile.withoutComments(bytes)
        require(plain.count == bytes.count, "comments are blanked, and places stay")
        require(ConfigurationFile.withoutComments(plain) == plain, "blanked once")
        do throws(ConfigurationError) {
            let configuration = try Configuration(ConfigurationSources(file: ("holdfast.json", bytes)))
            let report = Array(configuration.report.utf8)
            guard var again = try? Configuration(ConfigurationSources(file: ("holdfast.json", report))) else {
                fatalError("does not hold: a report is a configuration")
            }
            // A report keeps secrets to itself.
            for index in again.sandbox?.clients.indices ?? 0..<0 {
                guard let secret = configuration.sandbox?.clients[index].secret else { break }
                again.sandbox?.clients[index].secret = secret
            }
            require(again.settings == configuration.settings, "the same after writing")
            require(again == configuration, "a report says all")
            _ = configuration.warnings
        } catch {
            require(!error.mistakes.isEmpty, "a refusal has a reason")
        }
    }
}

/// A file of people as it is read.
private struct PeopleRows: Equatable {
    struct Row: Equatable {
        let line: Int
        let person: NumberedPerson?
        let mistakes: [FieldMistake]
    }

    var rows: [Row] = []
    var fault: PeopleFile.Fault?

    var people: [NumberedPerson] { rows.compactMap(\.person) }

    init(_ bytes: [UInt8], _ format: PeopleFile.Format, blockBytes: Int) {
        var rest = bytes[...]
        let source = FileBytes {
            defer { rest = rest.dropFirst(blockBytes) }
            return Array(rest.prefix(blockBytes))
        }
        do throws(PeopleFile.Fault) {
            var file = try PeopleFile(source, format)
            while let row = try file.next() {
                switch row.fields.flatMap({ $0.person(number: { PhoneNumber(e164: $0) }) }) {
                case .success(let person): rows.append(Row(line: row.line, person: person, mistakes: []))
                case .failure(let mistakes): rows.append(Row(line: row.line, person: nil, mistakes: mistakes.all))
                }
            }
        } catch { fault = error }
    }
}
