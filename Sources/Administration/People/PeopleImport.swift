internal import Possession

/// One pass over a file of people: checks every row, and sends the sound ones on in batches if it has somewhere to
/// send them to. What was sent before a failure stays sent.
struct PeopleImport {
    struct Summary: Equatable {
        var rows = 0
        var new = 0
        /// Also by a later row of the same file.
        var replaced = 0
        /// Rows with the number of an earlier row.
        var repeated = 0
        var bad = 0
    }

    enum Failure: Error, Equatable {
        case file(PeopleFile.Fault)
        /// Nobody has confirmed the rows from `line` on; `reason` says why.
        case notStored(line: Int, reason: String)
        /// A strict import found a mistake in this line, though the file was sound before.
        case changed(line: Int)
    }

    /// The store's refusal.
    struct Refusal: Error, Equatable { let reason: String }
    typealias Send = ([NumberedPerson]) async throws(Refusal) -> SavedPeople

    /// A batch ends with this many bytes, before they are written as JSON, or with `PeopleOrders.maxPeople`.
    private static let maxBatchBytes = 256 * 1024

    private let kinds: CredentialKinds
    private let number: (String) -> PhoneNumber?
    private let note: (String) -> Void
    private let progress: (Summary) -> Void
    private(set) var summary = Summary()
    /// The digits of every number so far: 15 of them fit. Some 16 bytes a person are all that grows with the file.
    private var seen: Set<UInt64> = []
    private var batch: [NumberedPerson] = []
    private var batchBytes = 0
    private var batchLine = 0

    /// - Parameters:
    ///   - kinds: of credentials.
    ///   - number: what number a text means.
    ///   - note: takes a sentence on a row that is bad or repeats a number.
    ///   - progress: told after every batch, and of a check after as many rows.
    init(
        kinds: CredentialKinds = CredentialKinds(), number: @escaping (String) -> PhoneNumber?,
        note: @escaping (String) -> Void, progress: @escaping (Summary) -> Void = { _ in }
    ) {
        self.kinds = kinds
        self.number = number
        self.note = note
        self.progress = progress
    }

    /// Looks at every row and stores none.
    mutating func check(_ file: PeopleFile) throws(Failure) {
        var file = file
        while let row = try Self.next(&file) {
            summary.rows += 1
            switch row.fields.flatMap({ $0.person(kinds: kinds, number: number) }) {
            case .success(let person): noteRepeated(person.number, row.line)
            case .failure(let mistakes): noteBad(mistakes, row.line)
            }
            if summary.rows % PeopleOrders.maxPeople == 0 { progress(summary) }
        }
    }

    /// Stores every sound row. With `isChecked` a bad one ends the import, and nothing is said of repeated numbers.
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
        if batch.count == PeopleOrders.maxPeople || batchBytes >= Self.maxBatchBytes { try await flush(send) }
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
    /// About what it takes as JSON, without escapes: at most half of the truth.
    fileprivate var estimatedBytes: Int {
        let texts = [person.firstName, person.lastName] + person.emailAddresses
        let parts = person.addresses.flatMap { [$0.address, $0.extendedAddress, $0.city, $0.region, $0.postalCode] }
        let said = (credentials?.entries ?? []).flatMap { [$0.name, $0.value] }
        return 150 + 90 * person.addresses.count
            + (texts + parts.compactMap { $0 } + said).reduce(0) { $0 + $1.utf8.count + 3 }
    }
}
