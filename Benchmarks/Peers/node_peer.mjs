// panva/jose as Debian's node-jose has it: `node node_peer.mjs FOLDER`. Speaks as worker.py says.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const home = '/usr/share/nodejs/jose'
const require = createRequire(import.meta.url)
const jose = require(home)
const { version } = require(`${home}/package.json`)

const folder = process.argv[2]
const text = (name) => readFileSync(`${folder}/${name}`, 'utf8')
const bytes = (name) => new Uint8Array(readFileSync(`${folder}/${name}`))
const key = (name, alg) => jose.importJWK(JSON.parse(text(name)), alg)

const signing = await key('sig-private.json', 'RS256')
const verifying = await key('sig-public.json', 'RS256')
const encrypting = await key('enc-public.json', 'RSA-OAEP')
const decrypting = await key('enc-private.json', 'RSA-OAEP')
const issuer = 'https://idp.example.com'
const audience = 's6BhdRkqt3'
const sealed = { alg: 'RSA-OAEP', enc: 'A128CBC-HS256', kid: 'enc-2048' }
const signed = { alg: 'RS256', kid: 'sig-2048', typ: 'JWT' }
const claims = bytes('claims.json')
const jws = text('jws.txt')
const nested = text('nested.txt')
const set = text('jwks10.json')
const decoder = new TextDecoder()
const encoder = new TextEncoder()

const sign = () => new jose.CompactSign(claims).setProtectedHeader(signed).sign(signing)
const encrypt = (payload, header = sealed) =>
  new jose.CompactEncrypt(payload).setProtectedHeader(header).encrypt(encrypting)
const decrypt = async (token) => (await jose.compactDecrypt(token, decrypting)).plaintext
const rules = { issuer, audience, requiredClaims: ['exp'], algorithms: ['RS256'] }
const small = bytes('payload-600.txt')
const large = bytes('payload-65536.txt')
const jweSmall = text('jwe-600.txt')
const jweLarge = text('jwe-65536.txt')

const operations = {
  verify: () => jose.compactVerify(jws, verifying, { algorithms: ['RS256'] }),
  claims: () => jose.jwtVerify(jws, verifying, rules),
  sign,
  'encrypt-600': () => encrypt(small),
  'encrypt-64k': () => encrypt(large),
  'decrypt-600': () => decrypt(jweSmall),
  'decrypt-64k': () => decrypt(jweLarge),
  'nested-make': async () => encrypt(encoder.encode(await sign()), { ...sealed, cty: 'JWT' }),
  'nested-open': async () => jose.jwtVerify(decoder.decode(await decrypt(nested)), verifying, rules),
  'set-pick': () => jose.createLocalJWKSet(JSON.parse(set))({ alg: 'RS256', kid: 'sig-2048' }, {}),
}

const able = []
for (const [name, work] of Object.entries(operations)) {
  try {
    await work()
    able.push(name)
  } catch (error) {
    console.error(`node-jose ${name}: ${error}`)
  }
}
console.log(['ready', 'node-jose', version, ...able].join(' '))
for await (const line of createInterface({ input: process.stdin })) {
  const [name, count] = line.split(' ')
  const work = operations[name]
  const start = process.hrtime.bigint()
  for (let i = Number(count); i > 0; i--) await work()
  console.log(String(process.hrtime.bigint() - start))
}
