/// The country calling codes in use (ITU-T E.164), as metric labels: a bounded set, whatever numbers callers send. A
/// test compares them with the numbering plan.
enum CallingCodes {
    static let other = "other"

    /// Position of a code in `labels`; for a code that is not in use, the position of `other`.
    static func index(of code: Int) -> Int {
        positions.indices.contains(code) ? positions[code] : codes.count
    }

    /// The codes in order, and `other`.
    static let labels = codes.map(String.init) + [other]

    private static let codes =
        [1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49]
        + [51, 52, 53, 54, 55, 56, 57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98]
        + [211, 212, 213, 216, 218] + Array(220...258) + [260, 261, 262, 263, 264, 265, 266, 267, 268, 269]
        + [290, 291, 297, 298, 299] + Array(350...359) + [370, 371, 372, 373, 374, 375, 376, 377, 378, 379]
        + [380, 381, 382, 383, 385, 386, 387, 389, 420, 421, 423] + Array(500...509) + Array(590...599)
        + [670, 672, 673, 674, 675, 676, 677, 678, 679, 680, 681, 682, 683, 685, 686, 687, 688, 689, 690, 691, 692]
        + [800, 808, 850, 852, 853, 855, 856, 870, 878, 880, 881, 882, 883, 886, 888]
        + [960, 961, 962, 963, 964, 965, 966, 967, 968, 970, 971, 972, 973, 974, 975, 976, 977, 979]
        + [992, 993, 994, 995, 996, 998]

    private static let positions: [Int] = {
        var positions = [Int](repeating: codes.count, count: 1000)
        for (index, code) in codes.enumerated() { positions[code] = index }
        return positions
    }()
}
