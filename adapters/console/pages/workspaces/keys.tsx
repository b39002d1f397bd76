import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { DEFAULT_OVERLAP, type MintedKey, type Successor } from '../../../../core/access/keys.js'
import { SCOPES } from '../../../../core/kernel/actor.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { parseMicros } from '../../../../core/kernel/money.js'
import type { KeyInUse } from '../../../../core/money/use-cases.js'
import { type Answer, type ConsolePath, redirect, redirectWithFlash } from '../../answer.js'
import { readingsOf, WhichAmount } from '../../amount.js'
import { failurePage } from '../../failure-page.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Command } from '../../command.js'
import type { Entry } from '../../navigation.js'
import { Behind, Empty, Field, Once, OPEN_PANEL, Problem, SidePanel, Tick, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { KeyTable } from './key-table.js'
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
type Outcome = { readonly problem?: string; readonly typed?: Readonly<Record<string, string>> }

/** A key that was just created; `replacedEndsAt` is when the key that it replaces ends. */
type Made = MintedKey & Partial<Pick<Successor, 'replacedEndsAt'>>

const mint = async (section: KeysSection, { request: { form, origin }, by, workspace, signedIn, again }: ActIn): Promise<Answer> => {
  const { name = '', expires = '', limit = '' } = form
  const scopes = SCOPES.filter((scope) => form[`scope-${scope}`] !== undefined)
  const wrong = (problem: string) => again((page) => show(section, page, { problem, typed: form }))
  if (form['change'] !== undefined) return again((page) => show(section, page, { typed: form }))
  const readings = readingsOf(limit)
  if (readings.length > 0) return again(async (page) => whichLimit(page, form, readings))
  const spendingLimit = limit.trim() === '' ? E.right(undefined) : parseMicros(limit.trim())
  if (E.isLeft(spendingLimit)) return wrong(texts.wrong.limit(spendingLimit.left.reason))
  const minted = await section.mintKey({
    by, workspace, name, scopes,
    ...(expires.trim() !== '' && { expires: expires.trim() }),
    ...(spendingLimit.right !== undefined && { spendingLimit: spendingLimit.right }),
  })
  if (E.isRight(minted)) {
    return redirectWithFlash(pathOf(workspace), <NewKey made={minted.right} origin={origin} maySend={scopes.includes('send')} />)
  }
  switch (minted.left._tag) {
    case 'InvalidName': return wrong(texts.wrong.name(minted.left.reason))
    case 'InvalidScopes': return wrong(texts.wrong.scopes(minted.left.reason))
    case 'InvalidExpiry': return wrong(texts.wrong.expires(minted.left.reason))
    case 'InvalidAmount': return wrong(texts.wrong.limit(minted.left.reason))
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
  const wrong = (problem: string) => again((page) => show(section, page, { problem }))
  const rotated = await section.rotateKey({ by, workspace, id: key, overlap: overlap.trim() })
  if (E.isRight(rotated)) {
    const keys = await section.listKeys({ by, workspace })
    const maySend = E.isRight(keys) && keys.right.some(({ id, scopes }) => id === rotated.right.id && scopes.includes('send'))
    return redirectWithFlash(pathOf(workspace), <NewKey made={rotated.right} origin={origin} maySend={maySend} />)
  }
  switch (rotated.left._tag) {
    case 'InvalidOverlap': return wrong(texts.wrong.overlap(rotated.left.reason))
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
const CREATE: Entry = { path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.mint }, icon: 'plus', act: 'key.mint' }

const show = async ({ listKeys }: KeysSection, page: InWorkspace, outcome: Outcome): Promise<Answer> => {
  const { by, workspace, signedIn } = page
  const keys = await listKeys({ by, workspace: workspace.id })
  if (E.isLeft(keys)) return failurePage(keys.left, signedIn)
  return workspacePage(page, {
    title: sections.keys, path: pathOf(workspace.id), firstAct: CREATE, status: outcome.problem === undefined ? 200 : 422,
    content: <Keys page={page} keys={keys.right} outcome={outcome} />,
  })
}

const Keys = ({ page, keys, outcome: { problem, typed } }: {
  readonly page: InWorkspace; readonly keys: ReadonlyArray<KeyInUse>; readonly outcome: Outcome
}): VNode => {
  const { signedIn: { principal }, workspace, request } = page
  return (
    <>
      {typed === undefined && <Problem sentence={problem} />}
      <p class="soft">{texts.about}</p>
      {keys.length === 0
        ? <Empty sentence={texts.none} icon="keys" />
        : <KeyTable keys={keys} workspace={workspace} principal={principal} />}
      <Behind title={texts.curl} sentence={texts.curlHint}>
        {request.origin === undefined && <p class="hint">{TEXTS.send.noAddress}</p>}
        <Command call={{ method: 'GET', path: '/v1/key' }} origin={request.origin} label={texts.tryKey} />
      </Behind>
      {isAllowed(principal, 'key.mint', workspace) && (typed !== undefined || request.query.has(OPEN_PANEL)) && (
        <Mint action={pathOf(workspace.id)} typed={typed ?? {}} problem={typed && problem} currency={workspace.currency} />
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
    <pre class="secret" tabindex={0} aria-label={texts.command}>{maySend ? sendCommand(origin, key) : `curl ${origin}/v1/key -H 'Authorization: Bearer ${key}'`}</pre>
  </Once>
)

const sendCommand = (origin: string, key: string): string => [
  `curl ${origin}/v1/messages/send-text \\`,
  `  -H 'Authorization: Bearer ${key}' \\`,
  "  -H 'Content-Type: application/json' \\",
  `  -d '{"to":"${texts.exampleNumber}","text":"${texts.exampleText}"}'`,
].join('\n')

const Mint = ({ action, typed, problem, currency }: {
  readonly action: string; readonly typed: Readonly<Record<string, string>>; readonly problem: string | undefined; readonly currency: string
}): VNode => (
  <SidePanel id="mint" title={texts.mint} close={action}>
    <Problem sentence={problem} />
    <form method="post" action={action}>
      <Field id="name" label={texts.name} hint={texts.hints.name} value={typed['name']} maxLength={200} isFirst />
      <fieldset>
        <legend>{texts.scopes}</legend>
        {SCOPES.map((scope) => (
          <Tick
            key={scope} id={`scope-${scope}`} label={scope} hint={texts.scopeHints[scope]}
            isTicked={typed['name'] === undefined || typed[`scope-${scope}`] !== undefined}
          />
        ))}
      </fieldset>
      <Field id="expires" label={texts.expires} hint={texts.hints.expires} value={typed['expires']} required={false} />
      <Field
        id="limit" label={texts.limitIn(currency)} hint={texts.hints.limit} value={typed['limit']} required={false} inputmode="decimal"
      />
      <div><button>{texts.mint}</button></div>
    </form>
  </SidePanel>
)
