// The few statistics that the reports need.

import Foundation

extension Array where Element == Double {
    /// The median; NaN if empty.
    @_spi(Bench) public var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The least; NaN if empty.
    @_spi(Bench) public var best: Double { self.min() ?? .nan }
}

/// Returns the two-sided p-value of the Mann-Whitney test: the probability that samples of one
/// distribution differ this much. Normal approximation, corrected for ties and continuity.
func mannWhitney(_ a: [Double], _ b: [Double]) -> Double {
    guard !a.isEmpty, !b.isEmpty else { return 1 }
    let all = (a.map { ($0, true) } + b.map { ($0, false) }).sorted { $0.0 < $1.0 }
    let n = Double(a.count)
    let m = Double(b.count)
    let total = n + m
    var rankSum = 0.0
    var ties = 0.0
    var i = 0
    while i < all.count {
        var j = i
        while j < all.count, all[j].0 == all[i].0 { j += 1 }
        let rank = Double(i + j + 1) / 2
        rankSum += rank * Double(all[i..<j].count { $0.1 })
        let tied = Double(j - i)
        ties += tied * tied * tied - tied
        i = j
    }
    let u = rankSum - n * (n + 1) / 2
    let variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)))
    guard variance > 0 else { return 1 }
    let z = max(0, abs(u - n * m / 2) - 0.5) / variance.squareRoot()
    return erfc(z / 2.0.squareRoot())
}
