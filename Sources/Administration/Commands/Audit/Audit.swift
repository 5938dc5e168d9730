package import ArgumentParser
internal import Glibc
internal import Engine
internal import Possession
internal import StrictJSON
internal import Text

package struct Audit: ParsableCommand {
    package static let configuration = CommandConfiguration(
        abstract: "Checks the audit log, and writes it out.",
        discussion: """
            Each entry has the hash of the one before it, so that an entry that was changed, removed or moved is found. \
            Works on the running server of the data directory, or on the directory itself when none runs.
            """,
        subcommands: [Verify.self, Export.self])

    package init() {}

    struct Verify: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks every entry, and says which one is wrong.",
            discussion: """
                Of the database, also its two ends are checked, with a key that comes from the master key: without it, \
                no program can cut entries off or add others. Of a file that `holdfast audit export` has written, the entries \
                are checked against one another. Exit 0: all is right; 65: something is not.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(help: "A file that `audit export` has written, instead of the database.")
        var file: String?

        @Option(
            help: """
                An entry that was seen before, as NUMBER:HASH: it must be there as it was. The server's log tells the newest \
                entry every hour.
                """)
        var expect: SeenEntry?

        func run(on installation: Installation) async throws {
            var seen = expect
            let check: AuditVerification?
            do {
                if let file {
                    check = try verify(file: file, &seen)
                } else {
                    check = try await verify(installation, &seen)
                }
            } catch { throw Audit.told(error) }
            if let seen {
                printError("entry \(seen.number) is not there, or no entry that is checked")
                throw badDataExitCode
            }
            guard let check, check.count > 0 else { return print("there are no entries") }
            let first = check.number - Int64(check.count) + 1
            print("verified \(check.count) entries, \(first) to \(check.number), newest \(Hex.text(check.hash))")
        }

        private func verify(file: String, _ seen: inout SeenEntry?) throws -> AuditVerification? {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                printError("\(file) cannot be read: \(String(cString: strerror(errno)))")
                throw ExitCode.failure
            }
            defer { close(descriptor) }
            var bytes = FileBytes(descriptor: descriptor)
            var check: AuditVerification?
            while try bytes.peek() != nil {
                let place = bytes.line
                guard let text = try bytes.nextLine(upTo: Audit.mostLineBytes), let line = AuditJSON.read(text),
                    var current = check ?? AuditVerification(from: line)
                else {
                    printError("line \(place) of the file is no entry")
                    throw badDataExitCode
                }
                try current.take(line)
                try SeenEntry.compare(&seen, line)
                check = current
            }
            return check
        }

        private func verify(_ installation: Installation, _ seen: inout SeenEntry?) async throws -> AuditVerification? {
            let channel = try await OrderChannel.first(ShowAuditEnds(), on: installation).channel
            do {
                let check: AuditVerification
                do { check = try await verify(channel, &seen) } catch is AuditVerification.Fault {
                    // Old entries may have been removed between two requests. A real defect is found again on the
                    // second try.
                    check = try await verify(channel, &seen)
                }
                await channel.close()
                return check
            } catch {
                await channel.close()
                throw error
            }
        }

        private func verify(_ channel: OrderChannel, _ seen: inout SeenEntry?) async throws -> AuditVerification {
            let answer = try await channel.send(ShowAuditEnds())
            guard let ends = AuditEnds(answer), answer["authentic"]?.bool == true else {
                printError("the ends of the log were changed by a program without the master key")
                throw badDataExitCode
            }
            var check = AuditVerification(after: ends.before, ends.beforeHash)
            try await Audit.eachLine(after: ends.before, channel) { line in
                // Lines added after the request for the ends are left for the next check.
                guard line.number <= ends.last else { return }
                try check.take(line)
                try SeenEntry.compare(&seen, line)
            }
            guard check.number == ends.last, check.hash == ends.lastHash else {
                throw AuditVerification.Fault(number: check.next, reason: "is missing: the log ends too early")
            }
            return check
        }
    }

    struct Export: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the entries to the standard output, one JSON object a line.",
            discussion:
                "Keep exports where the server cannot write: then a person who gets into the server cannot change the record."
        )

        @OptionGroup var options: ConfigurationOptions

        @Option(help: "Only the entries after this number.")
        var after: Int64 = 0

        func validate() throws {
            guard after >= 0 else { throw ValidationError("--after must be 0 or more") }
        }

        func run(on installation: Installation) async throws {
            let channel = try await OrderChannel.first(ShowAuditEnds(), on: installation).channel
            var damaged: [Int64] = []
            do {
                try await Audit.eachLine(after: after, channel) { line in
                    if AuditJSON.isDamaged(line) { damaged.append(line.number) }
                    print(String(decoding: AuditJSON.exported(line), as: UTF8.self))
                }
                await channel.close()
            } catch {
                await channel.close()
                throw Audit.told(error)
            }
            guard damaged.isEmpty else {
                for number in damaged { printError("entry \(number): cannot be read") }
                throw badDataExitCode
            }
        }
    }

    /// Prints the defect of the log or of a file, and returns the error that ends the command.
    fileprivate static func told(_ error: any Error) -> any Error {
        switch error {
        case let fault as AuditVerification.Fault:
            printError(fault.description)
            return badDataExitCode
        case let fault as FileBytes.ReadFault:
            printError("the file cannot be read: \(fault.reason)")
            return ExitCode.failure
        default: return error
        }
    }

    /// More than any entry has.
    fileprivate static let mostLineBytes = 65_536

    fileprivate static func eachLine(
        after number: Int64, _ channel: OrderChannel, _ body: (AuditLine) throws -> Void
    ) async throws {
        var page = ListAudit(after: number)
        while true {
            let texts = try await channel.send(page)["lines"]?.array ?? []
            for text in texts {
                guard let bytes = text.string.map({ Array($0.utf8) }), let line = AuditJSON.read(bytes) else {
                    throw AuditVerification.Fault(number: page.after + 1, reason: "cannot be read")
                }
                try body(line)
                page.after = line.number
            }
            guard texts.count == page.limit else { return }
        }
    }
}

/// An entry of the audit log that the operator has kept elsewhere.
struct SeenEntry: ExpressibleByArgument, Equatable {
    let number: Int64
    let hash: [UInt8]

    init?(argument: String) {
        let parts = argument.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(String(decoding: parts[0], as: UTF8.self)), number > 0,
            let hash = Hex.bytes(String(decoding: parts[1], as: UTF8.self)), hash.count == 32
        else { return nil }
        self.number = number
        self.hash = hash
    }

    /// Compares a line with the kept entry of the same number. Sets `seen` to `nil` if their hashes are equal.
    static func compare(_ seen: inout SeenEntry?, _ line: AuditLine) throws(AuditVerification.Fault) {
        guard let wanted = seen, wanted.number == line.number else { return }
        guard wanted.hash == line.hash else {
            throw AuditVerification.Fault(number: line.number, reason: "is not the one that was seen before")
        }
        seen = nil
    }
}
