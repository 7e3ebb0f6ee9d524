// The clock that ends waits for external keys at their deadlines.

import Testing

@testable import JOSE

@Suite("The clock of external keys")
struct ExternalKeyClockTests {
    /// The clock sleeps for a second at a time.
    @Test("a wait of more than a second ends at its deadline, an earlier one at its own")
    func deadlines() async {
        let clock = ExternalKeyClock()
        let begin = ContinuousClock.now
        let times = await withTaskGroup(of: Duration.self, returning: [Duration].self) { group in
            for time in [1_300, 20, 10] {
                group.addTask {
                    let end = begin + .milliseconds(time)
                    let error = await #expect(throws: ExternalKeyWaitError.self) {
                        try await clock.wait(for: Completion(), before: end)
                    }
                    #expect(error == .timedOut)
                    return ContinuousClock.now - end
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(times.count == 3 && times.allSatisfy { $0 >= .zero })
    }
}
