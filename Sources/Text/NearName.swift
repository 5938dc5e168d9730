/// Finds the name that was probably meant: for settings and members that do not exist.
package enum NearName {
    /// Longer names are compared with nothing.
    private static let maxBytes = 80

    /// `; did you mean server.port?`, or nothing when no name is near.
    package static func hint(_ name: String, among known: some Sequence<String>) -> String {
        let names = known.sorted()
        // The same name in another place of the file is no help.
        guard let found = nearest(to: name, among: names) ?? shortest(beginningWith: name, names),
            !found.utf8.elementsEqual(name.utf8)
        else { return "" }
        return "; did you mean \(found)?"
    }

    /// A name that stops early, such as `guard.budget`: four bytes of its last part are enough.
    private static func shortest(beginningWith name: String, _ names: [String]) -> String? {
        let last = name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "_") }
        guard last.count >= 4, name.utf8.count <= maxBytes else { return nil }
        let begun = bytes(name)
        let longer = names.filter { candidate in
            let other = bytes(candidate)
            // A group of settings is a name of its own.
            return other.starts(with: begun) && other.dropFirst(begun.count).first != UInt8(ascii: ".")
        }
        return longer.min { $0.utf8.count < $1.utf8.count }
    }

    /// The nearest of the names, the first of those that are equally near; `nil`: all of them are other words.
    package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let wanted = bytes(name)
        guard wanted.count <= maxBytes else { return nil }
        // A third of the letters may differ, three at most: beyond that it is another word.
        let most = min(3, max(1, wanted.count / 3))
        var best: (name: String, distance: Int)?
        for candidate in names where candidate.utf8.count <= maxBytes {
            let other = bytes(candidate)
            guard abs(other.count - wanted.count) <= most else { continue }
            let distance = distance(wanted, other)
            if distance <= most && distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    /// ASCII letters in lower case: a wrong case is the smallest mistake.
    private static func bytes(_ text: String) -> [UInt8] {
        text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }

    /// Insertions, deletions, replacements and swaps of neighbours that make one of the other (optimal string alignment).
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in 0..<one.count {
            var next = [row + 1]
            for column in 0..<other.count {
                let isSame = one[row] == other[column]
                var cost = min(last[column + 1] + 1, next[column] + 1, last[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
        }
        return last[other.count]
    }
}
