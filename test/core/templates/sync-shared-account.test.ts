import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { MINUTE_MS } from '../../../core/kernel/time.js'
import { type Sender, senderIdOf } from '../../../core/senders/sender.js'
import { ANY_TEMPLATE, type TemplateSource } from '../../../core/templates/catalogue.js'
import { makeSyncTemplates, type SyncTemplatesDeps } from '../../../core/templates/sync.js'
import { makeListTemplates } from '../../../core/templates/use-cases.js'
import { done, leftOf } from '../../support/right-of.js'
import { DOWN, failing } from '../failing-method.js'
import { ACCOUNT, gateway, type Gateway, NOON } from '../gateway.js'
import { templateOf } from '../template-samples.js'

const TEMPLATE = templateOf([])

/** Workspaces, oldest first, that send through one account. A token that begins with `good` may read it, the platform does not answer to `down`, and refuses every other one. */
const tenants = async (...tokens: ReadonlyArray<string>) => {
  const gw = await gateway({ templates: [] })
  gw.passes(MINUTE_MS)
  const { senders, templateCatalogue } = gw.storage
  const workspaces = [
    gw.workspace, ...await Promise.all(tokens.slice(1).map(async () => (await gw.addWorkspace()).workspace)),
  ].sort() as [WorkspaceId, ...WorkspaceId[]]
  for (const workspace of workspaces) {
    for (const { phoneNumberId: sender } of await done(senders.sendersOf(workspace))) await done(senders.remove({ workspace, sender }))
  }
  const assign = (index: number, accessToken: string) =>
    done(senders.assign(workspaces[index]!, { phoneNumberId: senderIdOf(`${index + 1}`), accessToken, businessAccountId: ACCOUNT }))
  for (const [index, token] of tokens.entries()) await assign(index, token)
  const asked: Array<string> = []
  const templateSource: TemplateSource = {
    list: async ({ accessToken }, name) => {
      asked.push(name === undefined ? accessToken : `${accessToken} ${name}`)
      if (accessToken === 'down') return E.left({ _tag: 'PlatformUnreachable', cause: 'reset' })
      if (accessToken === 'gone') return E.left({ _tag: 'PlatformRejected', error: { code: 100 } })
      return accessToken.startsWith('good') ? E.right([TEMPLATE]) : E.left({ _tag: 'CredentialsRefused', error: { code: 190 } })
    },
  }
  return {
    gw, workspaces, first: workspaces[0], asked, assign,
    syncWith: (deps: Partial<SyncTemplatesDeps>) => makeSyncTemplates({ ...gw.deps, templateSource, ...deps }),
    sync: () => makeSyncTemplates({ ...gw.deps, templateSource })({ workspace: workspaces[0], orOthers: true }),
    byHand: (workspace: WorkspaceId) => makeSyncTemplates({ ...gw.deps, templateSource })({ workspace }),
    names: () => done(templateCatalogue.names(ACCOUNT)),
    state: () => done(templateCatalogue.stateOf(ACCOUNT)),
    /** Since when each token may not read the account. */
    refused: () => Promise.all(workspaces.map(async (workspace) => (await senderOf(gw, workspace)).accountRefusedSince)),
    /** How many templates each workspace sees. */
    seen: () => Promise.all(workspaces.map(async (workspace) =>
      (await done(makeListTemplates({ senders, templateCatalogue })({ workspace }, { limit: 10 }))).items.length)),
  }
}

const senderOf = async ({ storage: { senders } }: Gateway, workspace: WorkspaceId): Promise<Sender> => {
  const sender = await done(senders.senderOf(workspace))
  return O.isSome(sender) ? sender.value : assert.fail('the workspace has a sender')
}

const LATER = NOON + MINUTE_MS

describe('Reading the list of templates of an account that several workspaces send through', () => {
  it('is done with a token that may read it', async () => {
    const { sync, asked, names, state } = await tenants('bad', 'worse', 'good')
    assert.deepEqual(await sync(), E.right({ accountId: ACCOUNT, templates: 1 }))
    assert.deepEqual([asked, await names(), (await state()).fault], [['bad', 'worse', 'good'], ['order_update'], undefined])
  })

  it('ends if the platform does not answer, and reports the first refusal if no token may read it', async () => {
    const down = await tenants('bad', 'down', 'good')
    assert.equal(leftOf(await down.sync())._tag, 'PlatformUnreachable')
    assert.deepEqual(down.asked, ['bad', 'down'])
    const none = await tenants('bad', 'worse', 'worst')
    assert.equal(leftOf(await none.sync())._tag, 'CredentialsRefused')
    assert.include((await none.state()).fault?.sentence ?? '', 'This access token may not read')
  })

  it('by a person uses only the token of the own workspace, and its refusal is not a fault of the list', async () => {
    const { first, byHand, asked, names, state, refused } = await tenants('bad', 'good', 'good')
    assert.equal(leftOf(await byHand(first))._tag, 'CredentialsRefused')
    assert.deepEqual(
      [asked, await names(), (await state()).fault, await refused()], [['bad'], [], undefined, [undefined, undefined, undefined]],
    )
  })

  it('notes whose token may not read it, and what the others read is not seen there', async () => {
    const { sync, asked, refused, seen } = await tenants('good', 'bad', 'good', 'gone', 'good too')
    assert.deepEqual(await sync(), E.right({ accountId: ACCOUNT, templates: 1 }))
    assert.deepEqual(asked, ['good', ...['bad', 'gone', 'good too'].map((token) => `${token} ${ANY_TEMPLATE}`)])
    assert.deepEqual(await refused(), [undefined, LATER, undefined, LATER, undefined])
    assert.deepEqual(await seen(), [1, 0, 1, 0, 1])
  })

  it('by a person notes it, too', async () => {
    const { first, byHand, refused } = await tenants('good', 'bad')
    await byHand(first)
    assert.deepEqual(await refused(), [undefined, LATER])
  })

  it('notes it before the list is stored', async () => {
    const { gw, syncWith, workspaces: [first, second] } = await tenants('good', 'bad')
    const stored: Array<unknown> = []
    const { templateCatalogue } = gw.storage
    await done(syncWith({
      templateCatalogue: {
        ...templateCatalogue,
        replaceAll: async (...list) => {
          stored.push((await senderOf(gw, second!)).accountRefusedSince)
          return templateCatalogue.replaceAll(...list)
        },
      },
    })({ workspace: first }))
    assert.deepEqual(stored, [LATER])
  })

  it('stores no list if it is stopped while the tokens are asked about', async () => {
    const { first, syncWith, names } = await tenants('good', 'another')
    let isStopped = false
    const templateSource: TemplateSource = {
      list: async (_account, name) => { isStopped = name !== undefined; return E.right([TEMPLATE]) },
    }
    const stopped = await syncWith({ templateSource })({
      workspace: first, reading: { onPage: () => undefined, isStopped: () => isStopped },
    })
    assert.deepEqual([stopped, await names()], [E.left({ _tag: 'SyncStopped' }), []])
  })

  it('stores no list if it cannot be noted or found who may read it', async () => {
    const { gw: { storage: { senders } }, first, syncWith, names } = await tenants('good', 'bad')
    const { noteAccount, notSharing, sharing } = senders
    for (const broken of [{ noteAccount: failing(noteAccount) }, { notSharing: failing(notSharing) }, { sharing: failing(sharing) }]) {
      assert.deepEqual(await syncWith({ senders: { ...senders, ...broken } })({ workspace: first }), E.left(DOWN))
    }
    assert.deepEqual(await names(), [])
  })

  it('changes nothing for a token about which the platform reports nothing', async () => {
    const { gw, sync, assign, workspaces, refused } = await tenants('good', 'down', 'bad')
    await sync()
    assert.deepEqual(await refused(), [undefined, undefined, LATER])
    await assign(2, 'down')
    const of = { workspace: workspaces[2]!, sender: (await senderOf(gw, workspaces[2]!)).phoneNumberId }
    await done(gw.storage.senders.noteAccount(of, { businessAccountId: ACCOUNT, accessToken: 'down' }, true, NOON))
    await sync()
    assert.deepEqual(await refused(), [undefined, undefined, NOON])
  })

  it('notes nothing if no token may read it, since that may be a fault of the account or of the question', async () => {
    const { sync, refused } = await tenants('bad', 'gone')
    await sync()
    assert.deepEqual(await refused(), [undefined, undefined])
  })

  it('notes when a token may read it again, and keeps the moment while it may not', async () => {
    const { gw, sync, refused, seen, syncWith, first } = await tenants('good', 'bad', 'worse')
    await sync()
    gw.passes(MINUTE_MS)
    await syncWith({ templateSource: { list: async ({ accessToken }) =>
      (accessToken === 'worse' ? E.left({ _tag: 'CredentialsRefused', error: {} }) : E.right([TEMPLATE])) } })({ workspace: first })
    assert.deepEqual([await refused(), await seen()], [[undefined, undefined, LATER], [1, 1, 0]])
  })

  it('asks first the tokens that may, so that one is found behind many that may not', async () => {
    const { gw, first, sync, asked } = await tenants(...Array.from({ length: 12 }, (_, index) => `bad ${index}`), 'good')
    assert.equal(leftOf(await sync())._tag, 'CredentialsRefused')
    const { senders } = gw.storage
    for (const of of (await done(senders.sharing(ACCOUNT))).slice(0, 12)) {
      const { accessToken } = await senderOf(gw, of.workspace)
      await done(senders.noteAccount(of, { businessAccountId: ACCOUNT, accessToken }, true, NOON))
    }
    asked.length = 0
    assert.deepEqual(await sync(), E.right({ accountId: ACCOUNT, templates: 1 }))
    assert.deepEqual(asked.slice(0, 2), [(await senderOf(gw, first)).accessToken, 'good'])
  })

  it('asks of archived workspaces, too, whose members may still read', async () => {
    const { gw, workspaces, sync, seen } = await tenants('good', 'bad')
    await done(gw.storage.workspaces.archive(workspaces[1]!, gw.now()))
    await sync()
    assert.deepEqual(await seen(), [1, 0])
  })

  it('asks about 40 tokens at most, and about the others after later readings', async () => {
    const { gw, sync, asked, refused } = await tenants('good', ...Array.from({ length: 60 }, (_, index) => `bad ${index}`))
    await sync()
    assert.lengthOf(asked, 41)
    assert.lengthOf((await refused()).filter((since) => since !== undefined), 40)
    for (let reading = 0; reading < 4; reading += 1) {
      gw.passes(15 * MINUTE_MS)
      await sync()
    }
    assert.lengthOf((await refused()).filter((since) => since !== undefined), 60)
  })

  it('leaves a sender as it is that was changed meanwhile, or cannot be read', async () => {
    const { gw, sync, assign, syncWith, first, workspaces, refused } = await tenants('good', 'bad')
    const { senders } = gw.storage
    await syncWith({
      senders: {
        ...senders,
        senderOf: (workspace) => (workspace === workspaces[1] ? failing(senders.senderOf)(workspace) : senders.senderOf(workspace)),
      },
    })({ workspace: first })
    assert.deepEqual(await refused(), [undefined, undefined])
    await syncWith({
      senders: { ...senders, noteAccount: async (...note) => { await assign(1, 'good'); return senders.noteAccount(...note) } },
    })({ workspace: first })
    assert.deepEqual(await refused(), [undefined, undefined])
    await sync()
    assert.deepEqual(await refused(), [undefined, undefined])
  })
})
