#!/usr/bin/env bash
# The files that the two programs need, made on the spot for a development machine: make-keys.sh FOLDER JOSECTL [ALG [ALG]]
# The first ALG is for what is encrypted to either side: itsme's older generations want RSA-OAEP. The second is for
# signatures: FAPI 2.0 wants ES256.
# In production each side has its own folder, its TLS certificate comes from a public authority, and the authority that
# issues for the signing keys is the one that both sides agreed on.
set -euo pipefail
if (( $# < 2 || $# > 4 )); then
    echo "usage: make-keys.sh FOLDER JOSECTL [ALG [ALG]]" >&2
    exit 2
fi
folder=$1 encryption=${3:-RSA-OAEP-256} signature=${4:-RS256}
# Before anything is made, and as a path that is good in the folder too.
josectl=$(command -v "$2") || { echo "make-keys.sh: there is no program $2" >&2; exit 1; }
josectl=$(realpath "$josectl")
umask 077
mkdir -p "$folder"
cd "$folder"

# authority NAME CONSTRAINTS: NAME.pem and NAME.key, a root of our own.
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

# server HOST: HOST.tls.pem and HOST.tls.key, what an HTTPS server shows.
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

# keys SIDE: SIDE.jwks, private keys for signatures and for what is encrypted to it, each with its chain.
keys() {
    "$josectl" keys new --alg "$signature" --kid "$1-sig" --alg "$encryption" --kid "$1-enc" --out "$1.bare.jwks" \
        --public "$1.bare-public.jwks"
    "$josectl" keys certify "$1.bare.jwks" --ca keys-root.pem --ca-key keys-root.key --days 30 \
        --subject "CN=$1,O=Example,C=BE" --out "$1.jwks"
    rm "$1.bare.jwks" "$1.bare-public.jwks"
}

# Whoever lets a browser trust the TLS root lets it vouch for names of this machine alone.
authority tls-root "nameConstraints = critical, permitted;DNS:localhost"
authority keys-root ""
server idp.localhost
server rp.localhost
keys provider
keys relying-party
openssl rand -hex 32 | tr -d '\n' > client-secret
