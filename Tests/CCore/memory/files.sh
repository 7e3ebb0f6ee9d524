# shellcheck shell=bash
# Part of Tests/CCore/run: creates the key files that cases read in the folder of the program.

{
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$out/leaf.pem" -outform DER \
        -out "$out/leaf.der" -subj "/CN=leaf" -days 30
    openssl pkcs8 -topk8 -nocrypt -in "$out/leaf.pem" -outform DER -out "$out/leaf.p8"
    openssl x509 -inform DER -in "$out/leaf.der" -out "$out/leaf.crt"
    openssl pkcs12 -export -keypbe NONE -certpbe NONE -inkey "$out/leaf.pem" -in "$out/leaf.crt" -passout pass:abc \
        -out "$out/clear.p12"
} >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
