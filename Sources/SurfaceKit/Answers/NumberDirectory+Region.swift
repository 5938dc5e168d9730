package import Engine
package import Possession

extension NumberDirectory {
    /// The country of a number by ISO 3166-1, in two capital letters; `nil`: the numbering plan has none.
    package func region(of number: PhoneNumber) -> String? {
        // Without a region, the directory returns the calling code.
        country(of: number).flatMap { $0.utf8.first.map { $0 >= UInt8(ascii: "A") } == true ? $0 : nil }
    }
}
