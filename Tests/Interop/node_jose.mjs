// jose for JavaScript (panva/jose) of Debian's node-jose: one JSON request per line, one JSON
// response per line.

import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const jose = createRequire(import.meta.url)('/usr/share/nodejs/jose')

const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64url'))
const text = (data) => Buffer.from(data).toString('base64url')
const kept = new Map()

// Keys are imported once, since an import costs more than a signature.
const key = async (jwk, alg) => {
  const name = alg + JSON.stringify(jwk)
  if (!kept.has(name)) kept.set(name, await jose.importJWK(jwk, alg))
  return kept.get(name)
}

const work = {
  new: async ({ alg, options }) =>
    jose.exportJWK((await jose.generateKeyPair(alg, { ...options, extractable: true })).privateKey),
  sign: async ({ jwk, payload, header }) =>
    new jose.CompactSign(bytes(payload)).setProtectedHeader(header)
      .sign(await key(jwk, header.alg)),
  verify: async ({ jwk, token, alg }) =>
    text((await jose.compactVerify(token, await key(jwk, alg), { algorithms: [alg] })).payload),
  encrypt: async ({ jwk, payload, header }) =>
    new jose.CompactEncrypt(bytes(payload)).setProtectedHeader(header)
      .encrypt(await key(jwk, header.alg)),
  decrypt: async ({ jwk, token, algs, enc }) => {
    const rules = { keyManagementAlgorithms: algs, contentEncryptionAlgorithms: [enc] }
    const alg = jose.decodeProtectedHeader(token).alg
    return text((await jose.compactDecrypt(token, await key(jwk, alg), rules)).plaintext)
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  let answer
  try {
    answer = { ok: await work[asked.op](asked) }
  } catch (error) {
    answer = { error: `${error.code ?? error.name}: ${error.message}` }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
