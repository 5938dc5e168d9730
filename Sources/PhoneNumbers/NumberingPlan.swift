internal import CPhoneNumber
package import Possession
internal import Text

/// The world's numbering plans, by libphonenumber: which number a text means, and whether such a number can exist
/// (API-16).
///
/// It accepts `+` with country code and number, and the national form of one region, digits only. In North America the
/// leading `1` may be left out. It refuses letters, separators, extensions, digits of other scripts, and prefixes for
/// calls abroad (`011`, `00`); `dialledAbroad` reads the latter.
///
/// The tables are those of `PlanFile`, not those that the library was built with. Creating a plan costs nothing: the
/// library builds the tables (4 MB, 10 ms) when the first number is read, and a pattern with the first number of each
/// country. After that a number takes 10 to 20 µs. A plan may be used from any thread.
package struct NumberingPlan: Sendable {
    /// There is no such region.
    package struct UnknownRegion: Error, Sendable, Equatable {
        package let region: String
    }

    /// A number that is possible under the plan.
    package struct Reading: Sendable, Equatable {
        package let number: PhoneNumber
        /// The kind of number; `nil` when it has the right length but is in no assigned range.
        package let kind: NumberKind?
        /// ISO 3166-1; `nil` if the number belongs to no country. For a number in no assigned range: the main region of
        /// its calling code.
        package var region: String?

        package var isValid: Bool { kind != nil }
    }

    /// The library runs regular expressions on its input. No spelling of a number is longer.
    private static let maxBytes = 64

    private let defaultRegion: Region
    private let inUse: PlanInUse
    private let takesUnknownRanges: Bool

    /// - Parameters:
    ///   - defaultRegion: the region whose national form is accepted (ISO 3166-1, two capital letters).
    ///   - takesUnknownRanges: whether `number` accepts a number of the right length outside all ranges of the plan.
    ///   - inUse: the plan whose tables are used.
    package init(
        defaultRegion: String, takesUnknownRanges: Bool = false, _ inUse: PlanInUse = PlanInUse.ofProgram
    ) throws(UnknownRegion) {
        guard let region = Region(defaultRegion) else { throw UnknownRegion(region: defaultRegion) }
        self.defaultRegion = region
        self.takesUnknownRanges = takesUnknownRanges
        self.inUse = inUse
    }

    /// Whether the text is a region with a numbering plan: two capital letters (ISO 3166-1).
    package static func isRegion(_ text: String) -> Bool { text.utf8.count == 2 && Region(text) != nil }

    /// The number that `text` means; `nil` when no such number can exist.
    package func number(_ text: String) -> PhoneNumber? {
        guard let reading = read(text), reading.isValid || takesUnknownRanges else { return nil }
        return reading.number
    }

    /// The same with the plan's data about the number: `kind` is `nil` if it is in no range.
    package func planned(_ text: String) -> PlannedNumber? {
        read(text).map { PlannedNumber($0.number, kind: $0.kind, region: $0.region) }
    }

    /// The number that `text` means and its kind, even if it is in no assigned range; `nil` when its country has no
    /// numbers of that length. A number in the form before a renumbering is converted to the current form.
    package func read(_ text: String) -> Reading? {
        guard text.utf8.count <= Self.maxBytes else { return nil }
        if let renumbered = renumbered(text), let reading = readOnce(renumbered.e164) { return reading }
        return readOnce(text)
    }

    /// The number that people in the region dial as `digits` for a call abroad, such as `004915112345678` in France;
    /// `nil`: the digits do not begin with the region's prefix for calls abroad, or are not a possible number.
    package func dialledAbroad(_ digits: String) -> PhoneNumber? {
        guard let library = inUse.library else { return nil }
        var digits = digits
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CPHONENUMBER_E164_SIZE)) { room in
            guard let start = room.baseAddress else { return nil }
            let status = digits.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    cphonenumber_dialled(
                        library.handle, characters.baseAddress, characters.count, defaultRegion.code, start)
                }
            }
            guard status == CPHONENUMBER_VALID || status == CPHONENUMBER_POSSIBLE else { return nil }
            return PhoneNumber(e164: String(cString: start))
        }
    }

    /// `nil`: the text is not in a form before a renumbering.
    private func renumbered(_ text: String) -> PhoneNumber? {
        if text.utf8.first == UInt8(ascii: "+") {
            return PhoneNumber(e164: text).flatMap { $0.e164.isSame(as: text) ? nil : $0 }
        }
        return PhoneNumber.renumbered(text, in: defaultRegion.code)
    }

    private func readOnce(_ text: String) -> Reading? {
        var type = Int32(CPHONENUMBER_UNKNOWN)
        var home = (CChar(0), CChar(0), CChar(0), CChar(0))
        let e164 = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CPHONENUMBER_E164_SIZE)) { room in
            withUnsafeMutableBytes(of: &home) { home in
                read(text, into: room, type: &type, home: home.assumingMemoryBound(to: CChar.self))
            }
        }
        guard let e164, let number = PhoneNumber(e164: e164) else { return nil }
        return Reading(number: number, kind: NumberKind(libraryType: type), region: Self.region(home.0, home.1))
    }

    /// The region of a number that was read before: the same as in its reading, in a fraction of the time.
    package func region(of number: PhoneNumber) -> String? {
        var home = (CChar(0), CChar(0), CChar(0), CChar(0))
        guard let library = inUse.library else { return nil }
        var e164 = number.e164
        e164.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                withUnsafeMutableBytes(of: &home) { home in
                    let room = home.assumingMemoryBound(to: CChar.self)
                    if let start = characters.baseAddress, let room = room.baseAddress {
                        cphonenumber_region(library.handle, start, characters.count, room)
                    }
                }
            }
        }
        return Self.region(home.0, home.1)
    }

    private static func region(_ first: CChar, _ second: CChar) -> String? {
        guard first != 0 else { return nil }
        return String(decoding: [UInt8(bitPattern: first), UInt8(bitPattern: second)], as: UTF8.self)
    }

    private func read(
        _ text: String, into room: UnsafeMutableBufferPointer<CChar>, type: inout Int32,
        home: UnsafeMutableBufferPointer<CChar>
    ) -> String? {
        guard let start = room.baseAddress, let home = home.baseAddress, let library = inUse.library else { return nil }
        var text = text
        let status = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                cphonenumber_read(
                    library.handle, characters.baseAddress, characters.count, defaultRegion.code, start, &type, home)
            }
        }
        // A fault of the library (out of memory) counts as no number: the caller is refused, and nothing is sent.
        guard status == CPHONENUMBER_VALID || status == CPHONENUMBER_POSSIBLE else { return nil }
        return String(cString: start)
    }
}
