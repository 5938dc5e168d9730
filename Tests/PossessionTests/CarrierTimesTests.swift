import Testing
@testable import Engine
@testable import Possession

@Suite struct CarrierTimesTests {
    @Test func `gives the newest times, each in its turn`() {
        let times = CarrierTimes()
        #expect(times.take() == .zero)
        for milliseconds in 1...20 { times.note(.milliseconds(milliseconds)) }
        let taken = (0..<17).map { _ in times.take() }
        #expect(taken == ((5...20) + [5]).map { .milliseconds($0) })
    }
}
