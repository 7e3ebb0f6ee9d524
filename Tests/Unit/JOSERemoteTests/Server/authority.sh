#!/bin/sh
# Makes a CA and certificates in the directory $1: valid, for another name, by another CA.
set -eu
cd "$1"
ca() {
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.pem" -days 2 \
        -subj "/CN=$1" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign \
        -addext subjectKeyIdentifier=hash
}
printf '[ req ]\ndistinguished_name = name\n[ name ]\n' >openssl.cnf
export OPENSSL_CONF="$PWD/openssl.cnf"
ca root
ca other
openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj "/CN=server"
leaf() { # leaf NAME CA ALTERNATIVE-NAME OPTION…
    name=$1 by=$2
    printf 'subjectAltName=%s\n' "$3" >"$name.ext"
    shift 3
    openssl x509 -req -in server.csr -CA "$by.pem" -CAkey "$by.key" -set_serial 7 \
        -extfile "$name.ext" \
        -out "$name.pem" "$@"
}
leaf good root IP:127.0.0.1 -days 2
leaf wrongName root IP:127.0.0.2 -days 2
leaf wrongCA other IP:127.0.0.1 -days 2
leaf expired root IP:127.0.0.1 -days 0
sleep 1 # for the last one to expire
