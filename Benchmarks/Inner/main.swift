// Times of what stands below the public library: base64url by kernel and size, the JSON scanner,
// the claims coders beside Foundation's. A program of the root package, because `package` symbols
// end there; `./dev bench` runs it.

import Foundation
import JOSE
import JOSEBytes

/// Best time of one iteration over many short slices, in nanoseconds.
func best(_ work: (Int) -> Bool) -> Double {
    let clock = ContinuousClock()
    func time(_ iterations: Int) -> Double {
        let spent = clock.measure { precondition(work(iterations), "the work failed") }
        return Double(spent.components.attoseconds) / 1e9 / Double(iterations)
    }
    _ = time(16)
    var iterations = 64
    while time(iterations) * Double(iterations) < 200_000 { iterations *= 2 }
    return (0..<60).map { _ in time(iterations) }.min() ?? .nan
}

/// A decimal without Foundation.
func decimal(_ value: Double) -> String {
    let tenths = Int(value * 10 + 0.5)
    return "\(tenths / 10).\(tenths % 10)"
}

func report(_ name: String, count: Int, bound: Double?, _ work: (Int) -> Bool) {
    let nanoseconds = best(work)
    let speed = Double(count) / nanoseconds
    var line = "  " + name + String(repeating: " ", count: max(1, 44 - name.count))
    for text in [decimal(nanoseconds) + " ns", decimal(speed) + " GB/s"] {
        line += String(repeating: " ", count: max(1, 15 - text.count)) + text
    }
    if let bound {
        line += "   bound \(decimal(bound)) GB/s" + (speed < bound ? "  <-- bound" : "")
    }
    print(line)
}

/// The same bytes in every run.
func bytes(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
}

func base64url(_ kernel: Base64URLKernel) {
    let isPortable = kernel == .scalar
    for characters in [48, 344, 800, 65_536] {
        let raw = bytes(characters / 4 * 3)
        let text = Base64URL.encode(raw.span)
        withScratch(of: UInt8.self, capacity: characters) { out in
            report(
                "base64url decode, \(kernel), \(characters)", count: characters,
                bound: characters == 800 ? (isPortable ? 3.5 : 8) : nil
            ) { iterations in
                var good = true
                for _ in 0..<iterations {
                    out.removeAll()
                    good = Base64URL.decode(text.span, into: &out, kernel: kernel) && good
                }
                return good
            }
            report(
                "base64url encode, \(kernel), \(characters)", count: characters,
                bound: characters == 800 ? (isPortable ? 3.5 : 15) : nil
            ) { iterations in
                for _ in 0..<iterations {
                    out.removeAll()
                    out.appendBase64URL(of: raw.span, kernel: kernel)
                }
                return out.count == characters
            }
        }
    }
}

func secrets() {
    let raw = bytes(258)
    let text = Base64URL.encode(raw.span)
    withScratch(of: UInt8.self, capacity: 344) { out in
        report("base64url decode, secrets, 344", count: 344, bound: nil) { iterations in
            var good = true
            for _ in 0..<iterations {
                out.removeAll()
                good = Base64URL.decodeSecret(text.span, into: &out) && good
            }
            return good
        }
        report("base64url encode, secrets, 344", count: 344, bound: nil) { iterations in
            for _ in 0..<iterations {
                out.removeAll()
                Base64URL.encodeSecret(raw.span, into: &out)
            }
            return out.count == 344
        }
    }
}

func json(_ name: String, _ text: String, bound: Double? = nil) {
    let text = Array(text.utf8)
    withScratch(of: JSONNode.self, capacity: JSON.nodeCapacityBound(text.count)) { nodes in
        report("JSON scan, \(name), \(text.count)", count: text.count, bound: bound) { iterations in
            for _ in 0..<iterations {
                nodes.removeAll()
                guard (try? JSON.scan(text.span, maxDepth: 32, into: &nodes)) != nil else {
                    return false
                }
            }
            return true
        }
    }
}

/// A claim whose value is this text, again and again.
func longText(_ part: String, bytes: Int) -> String {
    #"{"picture":""# + String(repeating: part, count: bytes / part.utf8.count) + #""}"#
}

func members(_ count: Int) -> String {
    "{" + (0..<count).map { #""member-\#($0)":\#($0)"# }.joined(separator: ",") + "}"
}

/// Twenty members from and to a `Codable`, by our coder and by Foundation's in turns.
func coders() throws {
    let sample = IDTokenClaims.sample
    let ours = try ClaimsEncoder.encode(sample)
    let sorted = JSONEncoder()
    sorted.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    for (name, text) in [
        ("declared order", ours), ("other order", [UInt8](try sorted.encode(sample))),
    ] {
        let data = Data(text)
        compare(
            "read 20 claims, " + name,
            ours: {
                for _ in 0..<$0 {
                    let claims = try? ClaimsDecoder.decode(
                        IDTokenClaims.self, from: text, maxDepth: 32)
                    guard claims?.exp == sample.exp else { return false }
                }
                return true
            },
            foundation: {
                for _ in 0..<$0 {
                    let claims = try? decoder.decode(IDTokenClaims.self, from: data)
                    guard claims?.exp == sample.exp else { return false }
                }
                return true
            })
    }
    compare(
        "write 20 claims",
        ours: {
            for _ in 0..<$0 {
                guard (try? ClaimsEncoder.encode(sample).count) == ours.count else { return false }
            }
            return true
        },
        foundation: {
            for _ in 0..<$0 {
                guard (try? encoder.encode(sample).isEmpty) == false else { return false }
            }
            return true
        })
}

func compare(_ name: String, ours: (Int) -> Bool, foundation: (Int) -> Bool) {
    let mine = best(ours)
    let theirs = best(foundation)
    let line = "  " + name + String(repeating: " ", count: max(1, 40 - name.count))
    let times = theirs / mine
    print(
        line + decimal(mine) + " ns, Foundation " + decimal(theirs) + " ns: " + decimal(times)
            + " times as fast, bound 4" + (times < 4 ? "  <-- bound" : ""))
}

print("\nbytes (best of 60 short runs; the library takes the fastest kernel the processor has)")
for kernel in Base64URLKernel.allCases where kernel.isAvailable { base64url(kernel) }
secrets()
json("header", #"{"alg":"RS256","kid":"sig-2048","typ":"JWT"}"#)
for count in [20, 200, 2_000, 20_000] { json("\(count) members", members(count)) }
json(
    "20 claims", String(decoding: try ClaimsEncoder.encode(IDTokenClaims.sample), as: UTF8.self),
    bound: 0.8)
for (name, part) in [
    ("base64", "iVBORw0KGgoAAAANSUhEUg"), ("Dutch", "één café, vijf reünies en een ruïne; "),
    ("Greek", "Η ταυτότητα του χρήστη "),
    ("Korean", "사용자의 신원 확인 "),
] {
    for size in [1_000, 64_000] { json("a string, " + name, longText(part, bytes: size), bound: 4) }
}
json("a string, escapes", longText(#"a line\n and \"words\" with \u00e9, "#, bytes: 64_000))
print("\nclaims coders")
try coders()
