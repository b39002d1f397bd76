import type { VNode } from 'preact'
import { isAllowed } from '../../../core/access/access.js'
import { DEFAULT_OVERLAP } from '../../../core/access/keys.js'
import { type Principal, SCOPES } from '../../../core/kernel/actor.js'
import { formatMicros } from '../../../core/kernel/money.js'
import type { Workspace } from '../../../core/kernel/workspace.js'
import type { KeyInUse } from '../../../core/money/use-cases.js'
import { Badge, Behind } from '../form-parts.js'
import { Moment, Table } from '../parts.js'
import { TEXTS } from '../texts.js'

const { keys: texts, sections } = TEXTS

type Shown = { readonly workspace: Workspace; readonly principal: Principal }

/** The keys of a workspace: those that work, and behind a line those that have ended. */
export const KeyTable = ({ keys, ...shown }: Shown & { readonly keys: ReadonlyArray<KeyInUse> }): VNode => {
  const ended = keys.filter(({ isValid }) => !isValid)
  const valid = keys.filter(({ isValid }) => isValid)
  return (
    <>
      {valid.length === 0 ? <p>{texts.noneWorks}</p> : <Rows label={sections.keys} keys={valid} {...shown} />}
      {ended.length > 0 && <Behind title={texts.ended(ended.length)}><Rows label={texts.endedKeys} keys={ended} {...shown} /></Behind>}
    </>
  )
}

const Rows = ({ label, keys, ...shown }: Shown & { readonly label: string; readonly keys: ReadonlyArray<KeyInUse> }): VNode => (
  <Table label={label} columns={[texts.key, texts.scopes, texts.state, texts.today, texts.lastUsed, texts.change]}>
    {keys.map((key) => <Row key={key.id} of={key} {...shown} />)}
  </Table>
)

const Row = ({ of, workspace, principal }: Shown & { readonly of: KeyInUse }): VNode => {
  const { id, name, scopes, createdAt, lastUsedAt, spendingLimit, spentToday, isValid } = of
  return (
    <tr id={id}>
      <td data-label={texts.key}><strong>{name}</strong><br /><code>{id}</code><br /><span class="soft">{texts.made} <Moment at={createdAt} /></span></td>
      <td data-label={texts.scopes}>{scopes.length === SCOPES.length ? texts.all : scopes.length === 0 ? texts.nothing : scopes.join(', ')}</td>
      <td data-label={texts.state}><State of={of} /></td>
      <td data-label={texts.today}>
        {spendingLimit === undefined ? texts.noLimit : texts.spentOf(formatMicros(spentToday ?? 0n), formatMicros(spendingLimit), workspace.currency)}
      </td>
      <td data-label={texts.lastUsed}>{lastUsedAt === undefined ? texts.never : <Moment at={lastUsedAt} />}</td>
      <td>
        {isValid && of.replacedBy === undefined && isAllowed(principal, 'key.rotate', workspace) && <Rotate of={of} workspace={workspace} />}
        {isValid && isAllowed(principal, 'key.revoke', workspace) && <Revoke of={of} workspace={workspace} />}
      </td>
    </tr>
  )
}

const State = ({ of: { revokedAt, expiresAt, replacedBy, isValid } }: { readonly of: KeyInUse }): VNode => (
  <>
    {revokedAt !== undefined ? <><Badge text={texts.revoked} tone="bad" /> <Moment at={revokedAt} /></> : <Badge text={isValid ? texts.valid : texts.expired} tone={isValid ? 'good' : 'bad'} />}
    {revokedAt === undefined && expiresAt !== undefined && <div>{isValid ? texts.until : texts.since} <Moment at={expiresAt} /></div>}
    {replacedBy !== undefined && <div class="soft">{texts.replacedBy} <a href={`#${replacedBy}`}><code>{replacedBy}</code></a></div>}
  </>
)

const Rotate = ({ of: { id, name }, workspace }: { readonly of: KeyInUse; readonly workspace: Workspace }): VNode => (
  <Behind title={texts.rotate} label={texts.rotateOne(name)} sentence={texts.rotateSentence}>
    <form method="post" action={`/console/workspaces/${workspace.id}/keys/rotate`}>
      <input type="hidden" name="key" value={id} />
      <label for={`overlap-${id}`}>{texts.overlap}</label>
      <input id={`overlap-${id}`} name="overlap" value={DEFAULT_OVERLAP} required autocomplete="off" />
      <div><button>{texts.doRotate}</button></div>
    </form>
  </Behind>
)

const Revoke = ({ of: { id, name }, workspace }: { readonly of: KeyInUse; readonly workspace: Workspace }): VNode => (
  <Behind title={texts.revoke} label={texts.revokeOne(name)} sentence={texts.revokeSentence} isDangerous>
    <form method="post" action={`/console/workspaces/${workspace.id}/keys/revoke`}>
      <input type="hidden" name="key" value={id} />
      <div><button class="danger">{texts.doRevoke}</button></div>
    </form>
  </Behind>
)
