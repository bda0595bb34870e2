#!/bin/sh
# Makes the certificates of the TLS tests anew, with OpenSSL 3. The keys are worthless: they only ever serve loopback.
#
#   sh tests/certs/generate.sh
#
# ca.pem            the test authority
# localhost.pem     signed by it, for localhost, 127.0.0.1 and ::1
# wrong_name.pem    signed by it, for wrong.example
# expired.pem       signed by it, for localhost, valid on one day of 2020
# self_signed.pem   signed by nobody else, for localhost
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/issued"
: > "$work/index.txt"
cat > "$work/ca.conf" << CONF
[ca]
default_ca = test
[test]
database = $work/index.txt
new_certs_dir = $work/issued
rand_serial = yes
certificate = ca.pem
private_key = $work/ca.key
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
CONF

# request KEY_FILE NAME EXTENSIONS
request() {
  openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"
  openssl req -new -key "$1" -out "$work/$2.csr" -subj "/CN=rawtick test: $2"
  printf '%b' "$3" > "$work/$2.ext"
}

# sign NAME START END [OPTION...]
sign() {
  name=$1 from=$2 until=$3
  shift 3
  openssl ca -batch -notext -config "$work/ca.conf" -in "$work/$name.csr" -out "$name.pem" \
    -extfile "$work/$name.ext" -startdate "$from" -enddate "$until" "$@"
}

start=20200101000000Z
end=20991231000000Z
leaf="basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName="
local_names="DNS:localhost,IP:127.0.0.1,IP:::1"

request "$work/ca.key" ca "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n"
sign ca $start $end -selfsign
request localhost.key localhost "$leaf$local_names\n"
sign localhost $start $end
request wrong_name.key wrong_name "${leaf}DNS:wrong.example\n"
sign wrong_name $start $end
request expired.key expired "$leaf$local_names\n"
sign expired $start 20200102000000Z
request self_signed.key self_signed "$leaf$local_names\n"
sign self_signed $start $end -selfsign -keyfile self_signed.key
chmod 644 ./*.key
