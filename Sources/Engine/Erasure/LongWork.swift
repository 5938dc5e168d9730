/// How a call with many items shares the server with other requests (ABU-11).
enum LongWork {
    /// Items to process before other calls on the same thread may run. An item takes about 30 microseconds, so they
    /// wait for about a quarter of a millisecond.
    static let itemsBetweenTurns = 8
    /// Items written in one transaction. It takes about a millisecond, and every other change waits for it.
    static let itemsPerTransaction = 15

    /// Lets other calls run after every `itemsBetweenTurns` items.
    static func giveWay(after count: Int) async {
        if count % itemsBetweenTurns == 0 { await Task.yield() }
    }
}
