/// How a call about many items shares the server with other requests (ABU-11).
enum LongWork {
    /// Items that are looked at before other calls on the same thread get their turn. An item takes some 30
    /// microseconds, so they wait for about a quarter of a millisecond.
    static let itemsBetweenTurns = 8
    /// Items that one transaction writes. It takes about a millisecond, for which every other change waits.
    static let itemsPerTransaction = 15

    /// Lets other calls run when `count` items are done since the last time.
    static func giveWay(after count: Int) async {
        if count % itemsBetweenTurns == 0 { await Task.yield() }
    }
}
