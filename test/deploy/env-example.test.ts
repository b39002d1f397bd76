import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../apps/server/config.js'
import { ROOT } from '../architecture/tree.js'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const TEXT = read('deploy/env.example')

/** Every variable of the model, also those that are commented out, with its value. */
const variables = Array.from(TEXT.matchAll(/^(#?)([A-Z][A-Z0-9_]*)=(.*)$/gm), ([, mark, name = '', value = '']) => ({
  name, value, isSet: mark === '',
}))
const ofDatabase = ({ name }: { readonly name: string }): boolean => name.startsWith('MARIADB_')

describe('deploy/env.example', () => {
  it('has only variables that the gateway reads, and the passwords of the database of compose.yaml', () => {
    const codec = read('apps/server/config.ts')
    assert.deepEqual(variables.filter((one) => !ofDatabase(one) && !codec.includes(`  ${one.name}: optional(`)).map(({ name }) => name), [])
    assert.deepEqual(
      variables.filter((one) => ofDatabase(one) && !read('compose.yaml').includes(`\${${one.name}:?`)).map(({ name }) => name), [],
    )
  })

  it('shows only values that the gateway takes', () => {
    const shown = variables.filter(({ value }) => value !== '')
    assert.isNotEmpty(shown)
    for (const { name, value } of shown) assert.isTrue(E.isRight(readConfig({ [name]: value })), `${name}=${value}`)
  })

  it('has every variable without which a gateway does not do its work: what the unit and compose demand, and no other is empty', () => {
    const demanded = new Set(
      Array.from(`${read('compose.yaml')}${read('deploy/postern.service')}`.matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name),
    )
    assert.sameMembers(variables.filter(({ isSet, value }) => isSet && value === '').map(({ name }) => name), [...demanded])
  })

  it('says how a secret is made that the gateway takes', () => {
    const secret = 'f'.repeat(64)
    assert.include(TEXT, "crypto.randomBytes(32).toString('hex')")
    assert.isTrue(E.isRight(readConfig({
      POSTERN_SECRET: secret, PUBLIC_URL: 'https://postern.example.com', PLATFORM_VERIFY_TOKEN: secret, PLATFORM_APP_SECRET: secret,
    })))
  })
})
