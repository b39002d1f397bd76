import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { DEFAULT_OVERLAP, type MintedKey, type Successor } from '../../../../core/access/keys.js'
import { SCOPES } from '../../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { parseMicros } from '../../../../core/kernel/money.js'
import type { KeyInUse } from '../../../../core/money/use-cases.js'
import { ANY_TEMPLATE } from '../../../../core/templates/catalogue.js'
import { type Answer, type ConsolePath, redirect, redirectWithFlash } from '../../answer.js'
import { readingsOf, WhichAmount } from '../../amount.js'
import { failurePage } from '../../failure-page.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Command } from '../../command.js'
import type { Entry } from '../../navigation.js'
import {
  Behind, Copied, Empty, Fault, faultAt, Field, Once, OPEN_PANEL, Problem, type Refused, SidePanel, Tick, Time,
} from '../../parts.js'
import { sortingIn } from '../../sorting.js'
import { TEXTS } from '../../texts.js'
import { KEY_ORDERS, KeyTable } from './key-table.js'
import type { UsesOf } from '../../gateway.js'

const { keys: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/keys'

/** The dependencies of these pages. */
export type KeysSection = UsesOf<'keys'>

/** The API keys of a workspace: creating, replacing and ending them. */
export const keysPages = (deps: PageDeps, section: KeysSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})),
    post: actIn(deps, 'key.mint', (acting) => mint(section, acting)),
  },
  { path: `${PATH}/rotate`, post: actIn(deps, 'key.rotate', (acting) => rotate(section, acting)) },
  { path: `${PATH}/revoke`, post: actIn(deps, 'key.revoke', (acting) => revoke(section, acting)) },
]

const pathOf = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/keys`

/** The result of a refused form. */
type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>>; readonly overlap?: string }

/** A key that was just created; `replacedEndsAt` is when the key that it replaces ends. */
type Made = MintedKey & Partial<Pick<Successor, 'replacedEndsAt'>>

const mint = async (section: KeysSection, { request: { form, origin }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const { name = '', expires = '', limit = '' } = form
  const scopes = SCOPES.filter((scope) => form[`scope-${scope}`] !== undefined)
  const wrong = (at: string, problem: string) => again((page) => show(section, page, { problem, at, typed: form }))
  if (form['change'] !== undefined) return again((page) => show(section, page, { typed: form }))
  const readings = readingsOf(limit)
  if (readings.length > 0) return again(async (page) => whichLimit(page, form, readings))
  const spendingLimit = limit.trim() === '' ? E.right(undefined) : parseMicros(limit.trim())
  if (E.isLeft(spendingLimit)) return wrong('limit', texts.wrong.limit(spendingLimit.left.reason))
  const minted = await section.mintKey({
    by, workspace, name, scopes,
    ...(expires.trim() !== '' && { expires: expires.trim() }),
    ...(spendingLimit.right !== undefined && { spendingLimit: spendingLimit.right }),
  })
  if (E.isRight(minted)) {
    return redirectWithFlash(pathOf(workspace), <NewKey made={minted.right} origin={origin} maySend={scopes.includes('send')} />)
  }
  switch (minted.left._tag) {
    case 'InvalidName': return wrong('name', texts.wrong.name(minted.left.reason))
    case 'InvalidScopes': return wrong('scopes', texts.wrong.scopes(minted.left.reason))
    case 'InvalidExpiry': return wrong('expires', texts.wrong.expires(minted.left.reason))
    case 'InvalidAmount': return wrong('limit', texts.wrong.limit(minted.left.reason))
    case 'UnknownWorkspace': return failurePage({ _tag: 'NotFound' }, signedIn)
    case 'Forbidden': case 'PortFailure': return failurePage(minted.left, signedIn)
  }
}

const whichLimit = (page: InWorkspace, form: ActIn['request']['form'], readings: ReadonlyArray<bigint>): Answer => {
  const { id, currency } = page.workspace
  return workspacePage(page, {
    title: texts.mint, path: pathOf(id),
    content: (
      <WhichAmount action={pathOf(id)} typed={form['limit'] ?? ''} readings={readings} currency={currency} values={form} field="limit" />
    ),
  })
}

const rotate = async (section: KeysSection, { request: { form, origin }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const { key = '', overlap = DEFAULT_OVERLAP } = form
  const wrong = (problem: string, more?: Outcome) => again((page) => show(section, page, { problem, ...more }))
  const rotated = await section.rotateKey({ by, workspace, id: key, overlap: overlap.trim() })
  if (E.isRight(rotated)) {
    const keys = await section.listKeys({ by, workspace })
    const maySend = E.isRight(keys) && keys.right.some(({ id, scopes }) => id === rotated.right.id && scopes.includes('send'))
    return redirectWithFlash(pathOf(workspace), <NewKey made={rotated.right} origin={origin} maySend={maySend} />)
  }
  switch (rotated.left._tag) {
    case 'InvalidOverlap': return wrong(texts.wrong.overlap(rotated.left.reason), { at: `overlap-${key}`, overlap })
    case 'KeyEnded': return wrong(texts.wrong.ended(rotated.left.id))
    case 'KeyReplaced': return wrong(texts.wrong.replaced(rotated.left.id, rotated.left.by))
    case 'UnknownApiKey': return wrong(texts.wrong.unknown)
    case 'Forbidden': case 'PortFailure': return failurePage(rotated.left, signedIn)
  }
}

const revoke = async (
  section: KeysSection, { request: { form: { key = '' } }, by, workspace, signedIn, again }: ActIn,
): Promise<Answer> => {
  const revoked = await section.revokeKey({ by, workspace, id: key })
  if (E.isRight(revoked)) return redirect(pathOf(workspace))
  return revoked.left._tag === 'UnknownApiKey'
    ? again((page) => show(section, page, { problem: texts.wrong.unknown }))
    : failurePage(revoked.left, signedIn)
}

/** Opens the form of a new key. */
export const CREATE_KEY: Entry = {
  path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.mint }, icon: 'plus', act: 'key.mint', keys: 'c k',
}

const show = async ({ listKeys }: KeysSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const { by, workspace, signedIn } = page
  const keys = await listKeys({ by, workspace: workspace.id })
  if (E.isLeft(keys)) return failurePage(keys.left, signedIn)
  return workspacePage(page, {
    title: sections.keys, path: pathOf(workspace.id), firstAct: CREATE_KEY, status: outcome.problem === undefined ? 200 : 422,
    content: <Keys page={page} keys={keys.right} outcome={outcome} />,
  })
}

const Keys = ({ page, keys, outcome }: {
  readonly page: InWorkspace; readonly keys: ReadonlyArray<KeyInUse>; readonly outcome: Outcome
}): VNode => {
  const { signedIn: { principal }, workspace, request } = page
  const { problem, at, typed } = outcome
  const sorting = sortingIn(pathOf(workspace.id), request.query, KEY_ORDERS)
  return (
    <>
      {typed === undefined && <Problem sentence={problem} at={at} />}
      <p class="soft">{texts.about}</p>
      {keys.length === 0
        ? <Empty sentence={texts.none} icon="keys" />
        : <KeyTable keys={keys} workspace={workspace} principal={principal} outcome={outcome} sorting={sorting} />}
      <Behind title={texts.curl} sentence={texts.curlHint}>
        {request.origin === undefined && <p class="hint">{TEXTS.send.noAddress}</p>}
        <Command call={{ method: 'GET', path: '/v1/key' }} origin={request.origin} label={texts.tryKey} />
      </Behind>
      {isAllowed(principal, 'key.mint', workspace) && (typed !== undefined || request.query.has(OPEN_PANEL)) && (
        <Mint action={pathOf(workspace.id)} typed={typed ?? {}} outcome={outcome} currency={workspace.currency} />
      )}
    </>
  )
}

/** Used in a command if the gateway does not know its own address. */
const UNKNOWN_URL = '$POSTERN_URL'

const NewKey = ({ made: { key, replacedEndsAt }, maySend, origin = UNKNOWN_URL }: {
  readonly made: Made
  readonly maySend: boolean
  readonly origin: string | undefined
}): VNode => (
  <Once sentence={texts.once} secret={key}>
    {replacedEndsAt !== undefined && <p>{texts.replacedEnds} <Time at={replacedEndsAt} />.</p>}
    <p>{maySend ? texts.trySend : texts.tryKey}</p>
    {origin === UNKNOWN_URL && <p class="hint">{TEXTS.send.noAddress}</p>}
    <Copied text={maySend ? sendCommand(origin, key) : showCommand(origin, key)} label={texts.command} />
  </Once>
)

const showCommand = (origin: string, key: string): string => `curl ${origin}/v1/key -H 'Authorization: Bearer ${key}'`

const sendCommand = (origin: string, key: string): string => [
  `curl ${origin}/v1/messages/send-template \\`,
  `  -H 'Authorization: Bearer ${key}' \\`,
  "  -H 'Content-Type: application/json' \\",
  `  -d '{"to":"${texts.exampleNumber}","template_name":"${ANY_TEMPLATE}"}'`,
].join('\n')

const Mint = ({ action, typed, outcome, currency }: {
  readonly action: string; readonly typed: Readonly<Record<string, string>>; readonly outcome: Outcome; readonly currency: string
}): VNode => (
  <SidePanel id="mint" title={texts.mint} close={action}>
    <form method="post" action={action}>
      <Field
        id="name" label={texts.name} hint={texts.hints.name} value={typed['name']} maxLength={200} isFirst={outcome.at === undefined}
        {...faultAt(outcome, 'name')}
      />
      <fieldset>
        <legend>{texts.scopes}</legend>
        <Fault id="scopes" sentence={faultAt(outcome, 'scopes').fault} />
        {SCOPES.map((scope, index) => (
          <Tick
            key={scope} id={`scope-${scope}`} label={scope} hint={texts.scopeHints[scope]}
            isTicked={typed['name'] === undefined || typed[`scope-${scope}`] !== undefined} isFirst={index === 0 && outcome.at === 'scopes'}
          />
        ))}
      </fieldset>
      <Field
        id="expires" label={texts.expires} hint={texts.hints.expires} value={typed['expires']} required={false}
        {...faultAt(outcome, 'expires')}
      />
      <Field
        id="limit" label={texts.limitIn(currency)} hint={texts.hints.limit} value={typed['limit']} required={false} inputmode="decimal"
        {...faultAt(outcome, 'limit')}
      />
      <div><button>{texts.mint}</button></div>
    </form>
  </SidePanel>
)
