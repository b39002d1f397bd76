import { SCOPES } from '../../core/kernel/actor.js'
import { done, holds, refused, same } from './expect.js'
import { newName, newWorkspaceId, times } from './ids.js'
import { admitted, type KeyStoreFixture, listed, minted, MINTED_AT, newKey, principal, turnedAway } from './key-fixture.js'
import type { Law } from './law.js'

const HEX = /^[0-9a-f]{40,}$/
const BASE64URL = /^[A-Za-z0-9_-]{27,}$/

const secretOf = ({ id, key }: { readonly id: string; readonly key: string }): string => key.slice(`pst_${id}_`.length)

/** The promises of a `KeyStore` about the keys themselves and about texts that are not keys. */
export const keySecretLaws: ReadonlyArray<Law<KeyStoreFixture>> = [
  {
    name: 'a minted key names its workspace',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const key = await minted(fixture, ours.workspace)
      const other = await minted(fixture, theirs.workspace)
      same('a key names the workspace it was minted for', await admitted(fixture.keyStore, key.key), ours.workspace)
      same('a key of another workspace names that one', await admitted(fixture.keyStore, other.key), theirs.workspace)
      const second = await minted(fixture, ours.workspace)
      same('a second key of a workspace serves beside the first', await admitted(fixture.keyStore, second.key), ours.workspace)
      same('the first key goes on serving', await admitted(fixture.keyStore, key.key), ours.workspace)
    },
  },
  {
    name: 'a minted key stands for a principal with its id, its name and its scopes',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace, { name: ' Größe ' })
      const { scopes, ...found } = await principal(fixture.keyStore, key)
      same('the principal of a key', found, { _tag: 'Key', workspace, key: id, name: ' Größe ' })
      same('the scopes of a key that has them all', [...scopes].sort(), [...SCOPES].sort())
    },
  },
  {
    name: 'a key is pst_<id>_<secret> with room for at least 160 random bits',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      holds('a key begins with pst_ and its id', id.length > 0 && key.startsWith(`pst_${id}_`), { id, length: key.length })
      const secret = secretOf({ id, key })
      const hexOnly = /^[0-9a-f]*$/.test(secret)
      holds('a secret is 40 hexadecimal or 27 base64url characters or more', (hexOnly ? HEX : BASE64URL).test(secret), secret.length)
    },
  },
  {
    name: 'the id of a key is one or more letters, digits or hyphens',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      for (const { id } of await Promise.all(times(16, () => minted(fixture, workspace)))) {
        holds('an id is one or more ASCII letters, digits or hyphens', /^[A-Za-z0-9-]+$/.test(id), id)
      }
    },
  },
  {
    name: 'no two keys are alike',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const keys = await Promise.all(times(64, () => minted(fixture, workspace)))
      same('64 keys have 64 ids', new Set(keys.map(({ id }) => id)).size, 64)
      const secrets = keys.map(secretOf)
      same('64 keys have 64 secrets', new Set(secrets).size, 64)
      // 64 samples show at most 6 bits per position; 120 seen over all positions rule out a short secret padded to length.
      const places = Math.min(...secrets.map(({ length }) => length))
      const bits = times(places, (place) => Math.log2(new Set(secrets.map((secret) => secret[place])).size))
      holds('the places of a secret vary', bits.reduce((sum, more) => sum + more, 0) >= 120, bits)
    },
  },
  {
    name: 'a key cannot be minted for a workspace that does not exist',
    check: async ({ keyStore }) => {
      await refused('minting for no workspace', 'UnknownWorkspace', keyStore.mint(newKey(newWorkspaceId())))
    },
  },
  {
    name: 'a wrong secret with a right id is an UnknownApiKey',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const [one, other] = [await minted(fixture, workspace), await minted(fixture, workspace)]
      const secret = secretOf(one)
      const wrong = [
        secretOf(other), secret.slice(0, -1), `${secret}0`, `${secret.slice(1)}${secret.slice(0, 1)}`, swapCase(secret), '',
        ` ${secret}`, `${secret} `,
      ]
      for (const guess of wrong.filter((guess) => guess !== secret)) {
        await turnedAway('a wrong secret with a right id', fixture.keyStore, `pst_${one.id}_${guess}`)
      }
      same('guesses do not lock a key', await admitted(fixture.keyStore, one.key), workspace)
    },
  },
  {
    name: 'a key that was never minted is an UnknownApiKey',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      const secret = secretOf({ id, key })
      const absent = [
        `pst_${newName()}_${secret}`, `pst_${id.slice(0, -1)}_${secret}`, `PST_${id}_${secret}`, `${id}_${secret}`,
        id, secret, `pst_${id}`, ` ${key}`, `${key}\n`,
      ]
      for (const guess of absent) await turnedAway('a key that was never minted', fixture.keyStore, guess)
    },
  },
  {
    name: 'garbage of any kind is an UnknownApiKey and never a PortFailure',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      const secret = secretOf({ id, key })
      const garbage = [
        '', ' ', '_', '__', 'pst', 'pst_', 'pst__', 'pst___', 'pst_a_b', 'x'.repeat(10_240), `pst_${'x'.repeat(10_240)}_${secret}`,
        `pst_${id}_${'x'.repeat(10_240)}`, '__proto__', 'constructor', `pst___proto___${secret}`,
        `pst_constructor_${secret}`, `pst_toString_${secret}`,
        '\u0000', `pst_\u0000_${secret}`, `pst_${id}_\u0000`, `pst_${id}\u0000_${secret}`, `${key}\u0000`,
        'pst_🔑_🔑', `pst_ключ_${secret}`, '\ud800', `pst_\ud800_${secret}`,
        `pst_%_${secret}`, `pst_' OR '1'='1_${secret}`, `pst_"; --_${secret}`, `pst_${id}_' OR ''='`,
        '{"$ne":null}', 'pst_\r\n_\r\n', '٣'.repeat(40),
      ]
      for (const guess of garbage) await turnedAway('garbage presented as a key', fixture.keyStore, guess)
      await Promise.all(garbage.map((guess) => turnedAway('garbage presented at once', fixture.keyStore, guess)))
      same('garbage costs a good key nothing', await admitted(fixture.keyStore, key), workspace)
    },
  },
  {
    name: 'a good key among concurrent bad ones is recognised',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      const [one, other] = [await minted(fixture, ours.workspace), await minted(fixture, theirs.workspace)]
      const crossed = `pst_${one.id}_${secretOf(other)}`
      await Promise.all(
        times(10, async (index) => {
          if (index % 3 === 0) await turnedAway('a crossed key among good ones', fixture.keyStore, crossed)
          else if (index % 3 === 1) same('a good key', await admitted(fixture.keyStore, one.key), ours.workspace)
          else same('another good key', await admitted(fixture.keyStore, other.key), theirs.workspace)
        }),
      )
    },
  },
  {
    name: 'the key is in the answer to its minting and nowhere else',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const { id, key } = await minted(fixture, workspace)
      await admitted(fixture.keyStore, key)
      const text = JSON.stringify(await listed(fixture, workspace))
      const secret = secretOf({ id, key })
      holds('a list of keys names the key', text.includes(id), id)
      holds('a list of keys never shows a secret', !text.includes(secret), 'the secret')
      await done('a key is revoked', fixture.keyStore.revoke(id, MINTED_AT + 1))
      holds('a revoked key is not shown either', !JSON.stringify(await listed(fixture, workspace)).includes(secret), 'the secret')
    },
  },
]

const swapCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()))
