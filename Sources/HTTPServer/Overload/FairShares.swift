/// Running requests on one loop, counted by caller, so that a caller that floods the server is refused before others.
///
/// The table has a fixed size: callers with the same hash slot share a count.
struct FairShares {
    /// The table slot in which one caller's requests are counted.
    typealias Place = Int

    private var counts = [Int32](repeating: 0, count: FairShares.places)
    /// Slots with a count above zero.
    private var active = 0
    private var total = 0

    private static let places = 1024
    /// A caller with fewer running requests is never over its share.
    private static let alwaysAllowed = 8

    /// - Parameter caller: a hash seeded per process, so that a caller cannot choose its slot.
    static func place(of caller: Int) -> Place { caller & (places - 1) }

    mutating func begin(_ place: Place) {
        if counts[place] == 0 { active += 1 }
        counts[place] += 1
        total += 1
    }

    mutating func end(_ place: Place) {
        counts[place] -= 1
        total -= 1
        if counts[place] == 0 { active -= 1 }
    }

    /// Whether one more request would put the caller over one and a half times an equal share of the running requests.
    func isOverShare(_ place: Place) -> Bool {
        guard active > 1 else { return false }
        return Int(counts[place]) >= max(FairShares.alwaysAllowed, 3 * total / (2 * active))
    }
}
