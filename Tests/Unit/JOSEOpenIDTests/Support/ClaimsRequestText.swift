// The value of a JSON document, read by Foundation.

import Foundation
import JOSE

enum ClaimsRequestText {
    static func value(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }
}
