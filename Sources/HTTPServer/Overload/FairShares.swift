/// Requests at work on one loop, counted by who asks, so that one who floods is refused before others are.
///
/// A table of a fixed size: two who share a place share its count.
struct FairShares {
    /// Where the requests of one caller are counted.
    typealias Place = Int

    private var counts = [Int32](repeating: 0, count: FairShares.places)
    /// Places that count anything.
    private var active = 0
    private var total = 0

    private static let places = 1024
    /// As many at work are never too many.
    private static let alwaysAllowed = 8

    /// - Parameter caller: a hash, seeded by the process, so that nobody can choose to share a place.
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

    /// Whether one more would be over one and a half times an equal share of what is at work.
    func isOverShare(_ place: Place) -> Bool {
        guard active > 1 else { return false }
        return Int(counts[place]) >= max(FairShares.alwaysAllowed, 3 * total / (2 * active))
    }
}
