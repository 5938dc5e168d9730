import Testing

@testable import Wiring

@Suite struct FaultNotesTests {
    private static let second: UInt64 = 1_000_000_000
    private var notes = FaultNotes()

    @Test mutating func `says when a fault begins, after a minute that it lasts, and when it has ended`() {
        let start = 7 * Self.second
        #expect(notes.see(.diskFull, false, at: start) == nil)
        #expect(notes.see(.diskFull, true, at: start) == .begins)
        #expect(notes.lasting == [.diskFull])
        #expect(notes.see(.diskFull, true, at: start + FaultNotes.reminder - 1) == nil)
        #expect(notes.see(.diskFull, true, at: start + FaultNotes.reminder) == .lasts)
        #expect(notes.see(.diskFull, true, at: start + 2 * FaultNotes.reminder - 1) == nil)
        let gone = start + 2 * FaultNotes.reminder
        #expect(notes.see(.diskFull, true, at: gone) == .lasts)
        #expect(notes.see(.diskFull, false, at: gone + FaultNotes.calm - 1) == nil)
        #expect(notes.lasting == [.diskFull])
        #expect(notes.see(.diskFull, false, at: gone + FaultNotes.calm) == .ends)
        #expect(notes.lasting.isEmpty)
        #expect(notes.see(.diskFull, false, at: gone + 2 * FaultNotes.calm) == nil)
    }

    @Test mutating func `one that comes and goes is one fault`() {
        var said: [FaultNotes.Note] = []
        for second in 0..<59 {
            let note = notes.see(.overloaded, second % 4 == 0, at: UInt64(second) * Self.second)
            if let note { said.append(note) }
        }
        #expect(said == [.begins])
    }

    @Test mutating func `faults are told apart`() {
        #expect(notes.see(.logHeld, true, at: 0) == .begins)
        #expect(notes.see(.clockAhead, true, at: 0) == .begins)
        #expect(notes.see(.logHeld, false, at: FaultNotes.calm) == .ends)
        #expect(notes.lasting == [.clockAhead])
    }

    @Test func `each has a line that says what to do, and one for its end`() {
        for fault in Fault.allCases {
            #expect(fault.line.utf8.count > 40 && !fault.end.isEmpty)
            #expect(fault.line != fault.end)
        }
        #expect(Set(Fault.allCases.map(\.line)).count == Fault.allCases.count)
    }
}
