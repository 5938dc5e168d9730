/// How a call about many items shares the server with other requests (ABU-11).
enum LongWork {
    /// Items that are looked at before the other requests of the loop get their turn. An item takes some 30
    /// microseconds, so the others wait for about a quarter of a millisecond.
    static let itemsBetweenTurns = 8
    /// Items that one transaction writes. It takes some 3 milliseconds, for which every other change waits.
    static let itemsPerTransaction = 50

    /// Lets other requests run when `count` items are done since the last time.
    static func giveWay(after count: Int) async {
        if count % itemsBetweenTurns == 0 { await Task.yield() }
    }
}
