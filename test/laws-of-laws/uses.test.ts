import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { makeGotTransport } from '../../adapters/cloud-api/got-transport.js'
import { type WorkspaceId, workspaceIdOf } from '../../core/kernel/ids.js'
import type { Sender } from '../../core/senders/sender.js'
import { openPlatformFixture } from '../adapters/cloud-api/platform-fixture.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { ROOT } from '../architecture/tree.js'
import * as laws from '../laws/index.js'
import { lawsFor, platformLawsFor, type PlatformFixture, senderLookupLaws, type SenderLookupFixture, type Use } from '../laws/index.js'
import { describeLaws } from '../support/describe-laws.js'

type AnyLaw = { readonly name: string }

const USES: Readonly<Record<Use, true>> = {
  sending: true, gateway: true, http: true, events: true, conversation: true, administration: true,
}

/** The published lists of laws, by their names. */
const LISTS = Object.entries(laws).flatMap(([name, value]): ReadonlyArray<readonly [string, ReadonlyArray<AnyLaw>]> =>
  Array.isArray(value) ? [[name, value]] : [])

/** The page, and the tables in it, each as its rows of cells. */
const tables = async (): Promise<ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>>> =>
  Array.from((await readFile(join(ROOT, 'docs/writing-an-adapter.md'), 'utf8')).matchAll(/(?:^\|.*\|\n)+/gm), ([table]) =>
    table.trim().split('\n').map((row) => row.slice(1, -1).split('|').map((cell) => cell.trim())))

const tableOf = async (head: string): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  (await tables()).find(([first]) => first?.[0] === head)?.slice(2) ?? assert.fail(`the page has no table of ${head}`)

/** The laws of a use as the page writes them: each port with the lists that its laws consist of. */
const written = (use: Use): string =>
  Object.entries<ReadonlyArray<AnyLaw>>(lawsFor(use)).map(([port, all]) => {
    const parts = LISTS.filter(([, list]) => list.every((law) => all.includes(law)))
    assert.equal(parts.reduce((sum, [, { length }]) => sum + length, 0), all.length, `every law of ${port} is in a published list`)
    return `\`${port}\`: ${parts.map(([name]) => `\`${name}\``).join(' and ')}`
  }).join('; ')

const openFixture = async () => {
  const fixture = await openMemoryFixture()
  return { ...fixture, assign: fixture.senders.assign, ...(await openPlatformFixture(makeGotTransport())) }
}

/** Senders with the two methods that a send needs, as an app with a table of its own has them. */
const openLookups = async (): Promise<SenderLookupFixture> => {
  const given = new Map<WorkspaceId, Sender>()
  return {
    senders: {
      senderOf: async (workspace, named) =>
        E.right(
          O.filter(({ phoneNumberId }: Sender) => named === undefined || named === phoneNumberId)(O.fromNullable(given.get(workspace))),
        ),
      ownerOf: async (id) => {
        const [workspace] = [...given].find(([, { phoneNumberId }]) => phoneNumberId === id) ?? []
        return E.right(workspace === undefined ? O.none : O.some({ workspace, sender: id, inbox: workspace }))
      },
    },
    openWorkspace: async () => ({ workspace: workspaceIdOf(uuidv7()) }),
    assign: async (workspace, sender) => given.set(workspace, sender),
  }
}

/** A network for texts alone. */
const openTexts = async (): Promise<PlatformFixture & AsyncDisposable> => {
  const fixture = await openPlatformFixture(makeGotTransport())
  const refused = async () => E.left({ _tag: 'PlatformRejected' as const, error: {} })
  const isText = ({ _tag, ...more }: Parameters<typeof fixture.platform.send>[0]['message']) =>
    _tag === 'Text' || ('type' in more && more.type === 'text')
  return {
    ...fixture,
    carries: ['text'],
    platform: {
      send: (outbound) =>
        isText(outbound.message) && outbound.message.context === undefined ? fixture.platform.send(outbound) : refused(),
    },
  }
}

describe('The laws of a use', () => {
  it('stand in the page for each use, by port', async () => {
    assert.deepEqual(
      (await tableOf('use')).map(([use, , byPort]) => [use, byPort]),
      (Object.keys(USES) as ReadonlyArray<Use>).map((use) => [`\`${use}\``, written(use)]),
    )
  })

  it('are lists that each appear once in the page, with a published fixture', async () => {
    const rows = await tableOf('laws')
    const named = rows.flatMap(([cell = '']) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name = '']) => name))
    assert.sameMembers(named, LISTS.map(([name]) => name))
    const published = await readFile(join(ROOT, 'test/laws/index.ts'), 'utf8')
    const fixtures = rows.flatMap(([, cell = '']) => Array.from(cell.matchAll(/`(\w+Fixture|AtRest)`/g), ([, name = '']) => name))
    assert.isAbove(fixtures.length, 30)
    for (const fixture of fixtures) assert.match(published, new RegExp(`type ${fixture}\\b`), fixture)
  })

  it('run in one fixture that has the powers of all', async () => {
    for (const list of Object.values(lawsFor('sending'))) {
      for (const { check } of list.slice(0, 1)) {
        const fixture = await openFixture()
        await check(fixture)
        await fixture[Symbol.asyncDispose]()
      }
    }
  })
})

describe('Senders as sends need them', () => {
  describeLaws('of an app that has two methods alone', senderLookupLaws, openLookups)
})

describe('A platform for texts alone', () => {
  describeLaws('keeps the laws of what it carries', platformLawsFor({ carries: ['text'] }), openTexts)

  it('has no law about what it does not carry', async () => {
    const texts = await openTexts()
    const names = platformLawsFor(texts).map(({ name }) => name)
    const all = platformLawsFor({}).map(({ name }) => name)
    assert.deepEqual(all.filter((name) => !names.includes(name)), [
      'an accepted template is answered with the id the platform gave it',
      'an accepted message of each kind that quotes another is answered with the id the platform gave it',
    ])
    assert.deepEqual(lawsFor('sending', texts).platform.map(({ name }) => name), names)
    await texts[Symbol.asyncDispose]()
  })

  it('breaks the laws of one that carries more', async () => {
    for (const carries of [['text', 'image'], ['template'], ['text', 'quote']] as const) {
      const texts = await openTexts()
      const broken = await Promise.all(
        platformLawsFor({ carries }).slice(0, 3).map(({ check }) => check(texts).then(() => false, () => true)),
      )
      assert.include(broken, true, carries.join())
      await texts[Symbol.asyncDispose]()
    }
  })

  it('carries something', () => {
    assert.throws(() => platformLawsFor({ carries: ['quote'] }), 'A platform carries at least one kind of message')
  })
})
