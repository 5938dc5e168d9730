internal import ArgumentParser
internal import Glibc
internal import Possession

extension People {
    struct Import: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports people from a file.",
            discussion: """
                CSV (RFC 4180, UTF-8): the first record names the columns. phoneNumber, firstName and lastName are \
                needed; dob (YYYY-MM-DD), ssn (nine digits), emailAddress, address, extendedAddress, city, region and \
                postalCode may be there, and emailAddress2, address2, city2 and so on up to 10. What a person may say to \
                be found by onboarding (identity.keys) is in columns such as credentials.clientNumber. Where \
                identity.keys declares one an address or a number, its values must be such. An empty field counts as absent.
                JSON lines: one object a line with phoneNumber, firstName, lastName, dob, ssn, emailAddresses (a list \
                of texts), addresses (a list of objects with address, extendedAddress, city, region, postalCode) and \
                credentials (an object of texts, whole numbers or flags by name).

                A number that has a person gets the new data whole. Of two rows with one number the later one stays. \
                Every bad row is named on the error output by line, field and reason, never by its value; the others \
                are stored, 500 at a time, and the exit status is 65. With --strict the whole file is checked first, \
                and nothing is stored when a row is bad.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The file.", completion: .file())
        var file: String
        @Option(name: .long, help: "csv or jsonl; without it, by the end of the file's name.")
        var format: String?
        @Flag(name: .long, help: "All or nothing: one bad row, and none is stored.")
        var strict = false
        @Flag(name: .long, help: "Checks every row and stores none.")
        var dryRun = false
        @Flag(name: .long, help: "Says how far it is also when the error output is no terminal.")
        var progress = false

        func validate() throws {
            if let format, PeopleFile.Format(rawValue: format) == nil {
                throw ValidationError("--format must be csv or jsonl")
            }
            if format == nil && named == nil {
                throw ValidationError("the name \(file) ends in neither .csv nor .jsonl: say --format")
            }
        }

        private var named: PeopleFile.Format? {
            PeopleFile.Format.allCases.first { file.hasSuffix("." + $0.rawValue) }
        }

        func run(on installation: Installation) async throws {
            let readNumber = try readNumber(installation)
            let kinds = installation.credentialKinds
            let descriptor = try openFile()
            defer { close(descriptor) }
            let meter = ProgressMeter(isOn: progress || isatty(2) == 1)
            var pass = PeopleImport(kinds: kinds, number: readNumber, note: printError) { meter.show($0, "checked") }
            if dryRun || strict {
                try check(&pass, descriptor)
                if dryRun || pass.summary.bad > 0 { return try finish(pass.summary, isStored: false) }
                try rewind(descriptor)
            }
            let repeated = pass.summary.repeated
            pass = PeopleImport(kinds: kinds, number: readNumber, note: printError) { meter.show($0, "stored") }
            try await store(&pass, descriptor, installation)
            var summary = pass.summary
            if strict { summary.repeated = repeated }
            try finish(summary, isStored: true)
        }

        private func openFile() throws -> Int32 {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                printError("\(file): cannot be read: \(String(cString: strerror(errno)))")
                throw ExitCode.failure
            }
            return descriptor
        }

        private func rewind(_ descriptor: Int32) throws {
            guard lseek(descriptor, 0, SEEK_SET) == 0 else {
                printError("\(file): --strict reads it twice, which this one does not allow")
                throw ExitCode.failure
            }
        }

        private func readNumber(_ installation: Installation) throws -> Installation.ReadNumber {
            do { return try installation.readNumber() } catch {
                printError(error.description)
                throw error.exitCode
            }
        }

        private func people(_ descriptor: Int32) throws(PeopleImport.Failure) -> PeopleFile {
            let format = format.flatMap(PeopleFile.Format.init(rawValue:)) ?? named ?? .csv
            do { return try PeopleFile(FileBytes(descriptor: descriptor), format) } catch { throw .file(error) }
        }

        private func check(_ pass: inout PeopleImport, _ descriptor: Int32) throws {
            do throws(PeopleImport.Failure) { try pass.check(try people(descriptor)) } catch { throw exit(error) }
        }

        private func store(
            _ pass: inout PeopleImport, _ descriptor: Int32, _ installation: Installation
        ) async throws {
            let channel = try await PeopleChannel(installation)
            let failure: PeopleImport.Failure?
            do throws(PeopleImport.Failure) {
                try await pass.run(try people(descriptor), isChecked: strict) { (batch) throws(PeopleImport.Refusal) in
                    try await channel.save(batch)
                }
                failure = nil
            } catch { failure = error }
            await channel.close()
            guard let failure else { return }
            if pass.summary.new + pass.summary.replaced > 0 { print(pass.summary.sentence(isStored: true)) }
            throw exit(failure)
        }

        private func exit(_ failure: PeopleImport.Failure) -> ExitCode {
            switch failure {
            case .file(let fault):
                printError("\(file): \(fault)")
                if case .header = fault { return badDataExitCode }
            case .notStored(let line, let reason):
                printError(
                    "line \(line): from this row on nothing is known to be stored: \(reason). To import again is safe")
            case .changed(let line):
                printError("line \(line): the file was changed meanwhile; rows before it may be stored")
            }
            return .failure
        }

        private func finish(_ summary: PeopleImport.Summary, isStored: Bool) throws {
            print(summary.sentence(isStored: isStored))
            if summary.bad > 0 { throw badDataExitCode }
        }
    }
}

extension PeopleImport.Summary {
    func sentence(isStored: Bool) -> String {
        let outcome = isStored ? "\(new) new, \(replaced) replaced" : "nothing stored"
        let repeated = repeated > 0 ? "; \(repeated) repeat the number of an earlier row" : ""
        return "\(rows) rows: \(outcome), \(bad) bad\(repeated)"
    }
}

/// Prints the progress of an import to the standard error, every two seconds or ten thousand rows.
private final class ProgressMeter {
    private static let rows = 10_000
    private static let interval = Duration.seconds(2)

    private let isOn: Bool
    private var lastRows = 0
    private var lastTime = ContinuousClock.now

    init(isOn: Bool) {
        self.isOn = isOn
    }

    func show(_ summary: PeopleImport.Summary, _ word: String) {
        guard isOn else { return }
        // A second pass counts from zero again.
        if summary.rows < lastRows { lastRows = 0 }
        let now = ContinuousClock.now
        guard summary.rows - lastRows >= Self.rows || now - lastTime >= Self.interval else { return }
        (lastRows, lastTime) = (summary.rows, now)
        printError("\(summary.rows) rows \(word), \(summary.bad) bad")
    }
}
