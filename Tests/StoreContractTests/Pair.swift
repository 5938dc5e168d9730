/// The ports of two servers on one database. A race between them shows that nothing depends on what one store object
/// has in memory.
struct Pair<Ports: Sendable>: Sendable {
    let first: Ports
    let second: Ports

    init(_ first: Ports, _ second: Ports) {
        self.first = first
        self.second = second
    }

    func map<Others: Sendable>(_ part: (Ports) -> Others) -> Pair<Others> { Pair<Others>(part(first), part(second)) }

    /// Calls the two servers in turn, from `count` tasks at a time.
    /// - Parameter run: gets the ports of a server and the number of its task, from 0 on. The first server has the even
    ///   numbers.
    /// - Returns: the results, in the order in which the calls ended.
    @discardableResult
    func callAtOnce<Value: Sendable>(
        _ count: Int, _ run: @escaping @Sendable (Ports, Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { racers in
            for number in 0..<count {
                let ports = number.isMultiple(of: 2) ? first : second
                racers.addTask { try await run(ports, number) }
            }
            return try await racers.reduce(into: [Value]()) { $0.append($1) }
        }
    }

    /// How many of these calls say yes.
    func race(_ count: Int, _ run: @escaping @Sendable (Ports, Int) async throws -> Bool) async throws -> Int {
        try await callAtOnce(count, run).count { $0 }
    }
}
