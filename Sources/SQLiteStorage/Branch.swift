internal import Locks
internal import Possession

/// One home's side of the database: its reader, and the transactions it submits in the current turn.
final class Branch: @unchecked Sendable {
    // Sendable: `outgoing` is touched on the home only; the reader has its lock, which only `close` ever contends for.

    private let home: any ResumptionHome
    private let writer: Writer
    private var outgoing: [PendingTransaction] = []
    private let reader = Locked<Connection?>(nil)

    init(home: any ResumptionHome, writer: Writer) {
        self.home = home
        self.writer = writer
    }

    /// Keeps the transaction until the turn ends, so that all of a turn go over together.
    func submit(_ transaction: PendingTransaction) {
        if outgoing.isEmpty {
            home.atTurnEnd { self.handOver() }
        }
        outgoing.append(transaction)
    }

    private func handOver() {
        let transactions = outgoing
        outgoing.removeAll(keepingCapacity: true)
        writer.submit(transactions)
    }

    func read<Value: Sendable>(
        from readers: Readers, _ body: (Connection) throws(StorageFault) -> Value
    ) throws(StorageFault) -> Value {
        try reader.withLock { (reader) throws(StorageFault) -> Value in
            if let reader { return try body(reader) }
            let opened = try readers.open()
            reader = opened
            return try body(opened)
        }
    }

    func close() {
        reader.withLock { $0 = nil }
    }
}
