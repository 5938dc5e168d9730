import Testing

@testable import SQLiteStorage

/// How long the next change would wait.
@Suite struct WriterPaceTests {
    private static let start: UInt64 = 7_000_000_000
    private func at(_ milliseconds: UInt64) -> UInt64 { WriterPaceTests.start + milliseconds * 1_000_000 }

    private func wait(_ pace: WriterPace, behind changes: Int, at milliseconds: UInt64) -> UInt64 {
        pace.wait(behind: changes, limit: 100, at: at(milliseconds)) / 1_000_000
    }

    @Test func `an idle writer begins at once`() {
        let pace = WriterPace()
        #expect(wait(pace, behind: 1, at: 0) == 0)
    }

    @Test func `it waits for the rest of the batch and for full batches ahead`() {
        let pace = WriterPace()
        pace.batchBegan(of: 100, at: at(0))
        pace.batchEnded(at: at(40))
        pace.rests()
        #expect(wait(pace, behind: 0, at: 40) == 0)
        pace.batchBegan(of: 100, at: at(100))
        #expect(wait(pace, behind: 100, at: 110) == 30, "those in the batch are not ahead")
        #expect(wait(pace, behind: 199, at: 110) == 30)
        #expect(wait(pace, behind: 200, at: 110) == 70)
        pace.waits(350)
        #expect(wait(pace, behind: 0, at: 110) == 150)
    }

    @Test func `a batch that does not end may take as long again`() {
        let pace = WriterPace()
        pace.batchBegan(of: 1, at: at(0))
        pace.batchEnded(at: at(1))
        pace.rests()
        pace.batchBegan(of: 1, at: at(100))
        #expect(wait(pace, behind: 1, at: 700) == 600)
        pace.waits(100)
        #expect(wait(pace, behind: 1, at: 700) == 1200)
        pace.waits(0)
        pace.batchEnded(at: at(700))
        pace.rests()
        #expect(wait(pace, behind: 0, at: 700) == 0)
    }
}
