/// Finds the most similar known name, for unknown settings and members.
package enum NearName {
    /// Longer names are not compared.
    private static let maxBytes = 80

    /// `; did you mean server.port?`, or empty when no name is similar.
    package static func hint(_ name: String, among known: some Sequence<String>) -> String {
        let names = known.sorted()
        // The same name in another place of the file is not a helpful hint.
        guard let found = nearest(to: name, among: names) ?? shortest(beginningWith: name, names),
            !found.utf8.elementsEqual(name.utf8)
        else { return "" }
        return "; did you mean \(found)?"
    }

    /// A name that stops early, such as `guard.budget`: four bytes of its last part are enough for a match.
    private static func shortest(beginningWith name: String, _ names: [String]) -> String? {
        let last = name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "_") }
        guard last.count >= 4, name.utf8.count <= maxBytes else { return nil }
        let begun = bytes(name)
        let longer = names.filter { candidate in
            let other = bytes(candidate)
            // A name that goes on with a dot belongs to a group, which is another name.
            return other.starts(with: begun) && other.dropFirst(begun.count).first != UInt8(ascii: ".")
        }
        return longer.min { $0.utf8.count < $1.utf8.count }
    }

    /// The nearest of the names, or the first of several equally near ones; `nil`: all of them are too different.
    package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let wanted = bytes(name)
        guard wanted.count <= maxBytes else { return nil }
        // At most a third of the letters may differ, and at most three: beyond that it is another word.
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

    /// ASCII letters in lower case: a wrong case counts as no difference.
    private static func bytes(_ text: String) -> [UInt8] {
        text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours that turn one into the other (optimal
    /// string alignment).
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
