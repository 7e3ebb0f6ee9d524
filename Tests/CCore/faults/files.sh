# shellcheck shell=bash
# Part of Tests/CCore/run: creates the files that operations read in the folder of the program.

cd "$out"
rm -f index.txt* number* ./*.der ./*.p8 ./*.crl ./*.pem
cat >openssl.cnf <<'CNF'
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment, keyAgreement
extendedKeyUsage = emailProtection
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[list]
database = index.txt
crlnumber = number
default_md = sha256
default_crl_days = 30
CNF
export OPENSSL_CONF=$out/openssl.cnf
touch index.txt && echo 01 >number
for kind in "" ec-; do
    key=(-newkey rsa:2048)
    [[ $kind == ec- ]] && key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256)
    {
        openssl req -x509 "${key[@]}" -nodes -keyout "${kind}ca.pem" -outform DER -out "${kind}ca.der" \
            -subj "/CN=${kind}authority" -days 30 -extensions ca
        openssl req -new "${key[@]}" -nodes -keyout "${kind}leaf.pem" -out "${kind}leaf.csr" -subj "/CN=${kind}leaf"
        openssl x509 -req -in "${kind}leaf.csr" -CA "${kind}ca.der" -CAkey "${kind}ca.pem" -CAcreateserial \
            -days 20 -extfile openssl.cnf -extensions leaf -outform DER -out "${kind}leaf.der"
        openssl pkcs8 -topk8 -nocrypt -in "${kind}leaf.pem" -outform DER -out "${kind}leaf.p8"
        openssl x509 -in "${kind}ca.der" -out "${kind}ca.crt"
        openssl x509 -in "${kind}leaf.der" -out "${kind}leaf.crt"
        openssl pkcs12 -export -keypbe NONE -certpbe NONE -macalg sha256 -iter 1 -inkey "${kind}leaf.pem" \
            -in "${kind}leaf.crt" -passout "pass:the password" -out "${kind}clear.p12"
    } >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
done
{ openssl ca -name list -config openssl.cnf -gencrl -keyfile ca.pem \
    -cert ca.crt -out crl.pem && openssl crl -in crl.pem -outform DER -out ca.crl; } >"$out/log" 2>&1 ||
    { cat "$out/log" >&2; exit 1; }
unset OPENSSL_CONF
