internal import Locks
internal import Possession

/// One home's side of the database: its reader, and the transactions it submits in the current turn.
final class LoopDatabase: @unchecked Sendable {
    // Sendable: `outgoing` and `endsTurn` are touched on the home only; the reader has its lock, which only `close` ever
    // contends for.

    private let home: any CompletionExecutor
    private let writer: Writer
    private var outgoing: [PendingTransaction] = []
    /// The end of this turn will hand over what there is.
    private var endsTurn = false
    private let reader = Locked<Connection?>(nil)

    init(home: any CompletionExecutor, writer: Writer) {
        self.home = home
        self.writer = writer
    }

    /// As many go over together. A turn of 32 requests signs 32 tokens: were all of them kept until it ends, the writer
    /// would have nothing to do meanwhile, and the loop nothing during the commit. Against that, 1 % to 13 % more
    /// `/v3/unify` a second in four readings; one, two or eight at a time gain no more.
    private static let transactionsTogether = 4

    /// Keeps the transaction until there are enough, or the turn ends.
    func submit(_ transaction: PendingTransaction) {
        if !endsTurn {
            endsTurn = true
            home.atTurnEnd {
                self.endsTurn = false
                self.handOver()
            }
        }
        outgoing.append(transaction)
        if outgoing.count == LoopDatabase.transactionsTogether { handOver() }
    }

    private func handOver() {
        guard !outgoing.isEmpty else { return }
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
