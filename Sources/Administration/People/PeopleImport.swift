internal import Engine
internal import Possession

/// One pass over a file of people. Checks every row, and sends valid rows in batches to the store if one is given.
/// After a failure, batches that were sent stay stored.
struct PeopleImport {
    struct Summary: Equatable {
        var rows = 0
        var new = 0
        /// Including people replaced by a later row of the same file.
        var replaced = 0
        /// Rows with the number of an earlier row.
        var repeated = 0
        var bad = 0
    }

    enum Failure: Error, Equatable {
        case file(PeopleFile.Fault)
        /// The store has not confirmed the rows from `line` on; `reason` says why.
        case notStored(line: Int, reason: String)
        /// A strict import found a mistake in this line, although the file passed its check.
        case changed(line: Int)
    }

    /// The store's refusal.
    struct Refusal: Error, Equatable { let reason: String }
    typealias Send = ([NumberedPerson]) async throws(Refusal) -> SavedPeople

    /// A batch ends at this size, estimated before it is written as JSON, or at `SavePeople.maxPeople`.
    private static let maxBatchBytes = 256 * 1024

    private let kinds: CredentialKinds
    private let number: (String) -> PhoneNumber?
    private let note: (String) -> Void
    private let progress: (Summary) -> Void
    private(set) var summary = Summary()
    /// The digits of every number so far; 15 digits fit. Only this set grows with the file, by about 16 bytes a person.
    private var seen: Set<UInt64> = []
    private var batch: [NumberedPerson] = []
    private var batchBytes = 0
    private var batchLine = 0

    /// - Parameters:
    ///   - kinds: the kinds of credentials.
    ///   - number: reads the number that a text means.
    ///   - note: receives a sentence about each row that is invalid or repeats a number.
    ///   - progress: called after every batch; in a check, after as many rows.
    init(
        kinds: CredentialKinds = CredentialKinds(), number: @escaping (String) -> PhoneNumber?,
        note: @escaping (String) -> Void, progress: @escaping (Summary) -> Void = { _ in }
    ) {
        self.kinds = kinds
        self.number = number
        self.note = note
        self.progress = progress
    }

    /// Checks every row and stores none.
    mutating func check(_ file: PeopleFile) throws(Failure) {
        var file = file
        while let row = try Self.next(&file) {
            summary.rows += 1
            switch row.fields.flatMap({ $0.person(kinds: kinds, number: number) }) {
            case .success(let person): noteRepeated(person.number, row.line)
            case .failure(let mistakes): noteBad(mistakes, row.line)
            }
            if summary.rows % SavePeople.maxPeople == 0 { progress(summary) }
        }
    }

    /// Stores every valid row. With `isChecked`, an invalid row ends the import, and repeated numbers are not reported.
    mutating func run(_ file: PeopleFile, isChecked: Bool = false, _ send: Send) async throws(Failure) {
        var file = file
        while let row = try Self.next(&file) {
            summary.rows += 1
            switch row.fields.flatMap({ $0.person(kinds: kinds, number: number) }) {
            case .success(let person):
                if !isChecked { noteRepeated(person.number, row.line) }
                try await add(person, row.line, send)
            case .failure(let mistakes):
                if isChecked { throw .changed(line: row.line) }
                noteBad(mistakes, row.line)
            }
        }
        try await flush(send)
    }

    private static func next(_ file: inout PeopleFile) throws(Failure) -> PeopleFile.Row? {
        do { return try file.next() } catch { throw .file(error) }
    }

    // MARK: Rows

    private mutating func noteBad(_ mistakes: RowMistakes, _ line: Int) {
        summary.bad += 1
        for mistake in mistakes.all {
            note("line \(line): " + (mistake.field.isEmpty ? "" : mistake.field + ": ") + mistake.reason)
        }
    }

    private mutating func noteRepeated(_ number: PhoneNumber, _ line: Int) {
        let digits = number.e164.utf8.dropFirst().reduce(UInt64(0)) { $0 &* 10 &+ UInt64($1 &- 48) }
        guard !seen.insert(digits).inserted else { return }
        summary.repeated += 1
        note("line \(line): phoneNumber: is that of an earlier row, which this one replaces")
    }

    // MARK: Batches

    private mutating func add(_ person: NumberedPerson, _ line: Int, _ send: Send) async throws(Failure) {
        if batch.isEmpty { batchLine = line }
        batch.append(person)
        batchBytes += person.estimatedBytes
        if batch.count == SavePeople.maxPeople || batchBytes >= Self.maxBatchBytes { try await flush(send) }
    }

    private mutating func flush(_ send: Send) async throws(Failure) {
        guard !batch.isEmpty else { return }
        let saved: SavedPeople
        do { saved = try await send(batch) } catch { throw .notStored(line: batchLine, reason: error.reason) }
        summary.new += saved.new
        summary.replaced += saved.replaced
        batch.removeAll(keepingCapacity: true)
        batchBytes = 0
        progress(summary)
    }
}

extension NumberedPerson {
    /// The estimated size as JSON, without escapes. The real size is at most about twice as large.
    fileprivate var estimatedBytes: Int {
        let texts = [person.firstName, person.lastName] + person.emailAddresses
        let parts = person.addresses.flatMap { [$0.address, $0.extendedAddress, $0.city, $0.region, $0.postalCode] }
        let said = (credentials?.entries ?? []).flatMap { [$0.name, $0.value] }
        return 150 + 90 * person.addresses.count
            + (texts + parts.compactMap { $0 } + said).reduce(0) { $0 + $1.utf8.count + 3 }
    }
}
