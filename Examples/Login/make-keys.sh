#!/usr/bin/env bash
# make-keys.sh FOLDER JOSECTL [ALG [ALG]]: creates the files of the two programs for a development
# machine.
# The first ALG is for encryption: itsme's older generations need RSA-OAEP. The second is for
# signatures: FAPI 2.0 needs ES256.
# In production each side has its own folder, TLS certificates are from a public CA, and
# certificates of the signing keys are from the agreed CA.
set -euo pipefail
if (( $# < 2 || $# > 4 )); then
    echo "usage: make-keys.sh FOLDER JOSECTL [ALG [ALG]]" >&2
    exit 2
fi
folder=$1 encryption=${3:-RSA-OAEP-256} signature=${4:-RS256}
# Check first, and make the path absolute.
josectl=$(command -v "$2") || { echo "make-keys.sh: there is no program $2" >&2; exit 1; }
josectl=$(realpath "$josectl")
umask 077
mkdir -p "$folder"
cd "$folder"

# authority NAME CONSTRAINTS: creates a root CA, NAME.pem and NAME.key.
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 30 -keyout "$1.key" -out "$1.pem" \
        -config - 2>/dev/null <<END
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
CN = $1 of this login
[extensions]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
$2
END
}

# server HOST: creates the TLS certificate HOST.tls.pem and its key HOST.tls.key.
server() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 30 -keyout "$1.tls.key" \
        -out "$1.tls.pem" -CA tls-root.pem -CAkey tls-root.key -config - 2>/dev/null <<END
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
CN = $1
[extensions]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:$1
END
}

# keys SIDE: creates SIDE.jwks with private keys for signatures and encryption, and their chains.
keys() {
    "$josectl" keys new --alg "$signature" --kid "$1-sig" --alg "$encryption" --kid "$1-enc" --out "$1.bare.jwks" \
        --public "$1.bare-public.jwks"
    "$josectl" keys certify "$1.bare.jwks" --ca keys-root.pem --ca-key keys-root.key --days 30 \
        --subject "CN=$1,O=Example,C=BE" --out "$1.jwks"
    rm "$1.bare.jwks" "$1.bare-public.jwks"
}

# The constraint limits the TLS root, if a browser trusts it, to names of this machine.
authority tls-root "nameConstraints = critical, permitted;DNS:localhost"
authority keys-root ""
server idp.localhost
server rp.localhost
keys provider
keys relying-party
openssl rand -hex 32 | tr -d '\n' > client-secret
