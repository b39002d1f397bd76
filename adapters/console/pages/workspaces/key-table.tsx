import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import { DEFAULT_OVERLAP } from '../../../../core/access/keys.js'
import { type Principal, SCOPES } from '../../../../core/kernel/actor.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { KeyInUse } from '../../../../core/money/use-cases.js'
import { writeMoney } from '../../money.js'
import { Behind, Confirm, Empty, faultAt, Field, Id, Menu, type Refused, State, Table, Time } from '../../parts.js'
import { sorted, type Sorting, type SortValue } from '../../sorting.js'
import { TEXTS } from '../../texts.js'

const { keys: texts, sections } = TEXTS

type Shown = {
  readonly workspace: Workspace; readonly principal: Principal; readonly sorting: Sorting
  readonly outcome: Refused & { readonly overlap?: string | undefined }
}

/** The columns by which keys can be sorted. */
export const KEY_ORDERS = ['name', 'today', 'used'] as const
type KeyOrder = (typeof KEY_ORDERS)[number]

/** The keys of a workspace: the valid ones, and behind a line the ended ones. */
export const KeyTable = ({ keys, ...shown }: Shown & { readonly keys: ReadonlyArray<KeyInUse> }): VNode => {
  const ended = keys.filter(({ isValid }) => !isValid)
  const valid = keys.filter(({ isValid }) => isValid)
  return (
    <>
      {valid.length === 0 ? <Empty sentence={texts.noneWorks} icon="keys" /> : <Rows label={sections.keys} keys={valid} {...shown} />}
      {ended.length > 0 && <Behind title={texts.ended(ended.length)}><Rows label={texts.endedKeys} keys={ended} {...shown} /></Behind>}
    </>
  )
}

const Rows = ({ label, keys, ...shown }: Shown & { readonly label: string; readonly keys: ReadonlyArray<KeyInUse> }): VNode => (
  <Table
    label={label} isCompact
    columns={[
      { text: texts.key, sort: 'name' }, texts.state, texts.scopes, { text: texts.today, sort: 'today' },
      { number: texts.lastUsed, sort: 'used' }, { fit: texts.change },
    ]}
    sorting={shown.sorting}
  >
    {sorted(keys, shown.sorting, ORDERS).map((key) => <Row key={key.id} of={key} {...shown} />)}
  </Table>
)

const ORDERS: Readonly<Record<KeyOrder, (key: KeyInUse) => SortValue>> = {
  name: ({ name }) => name, today: ({ spentToday }) => spentToday, used: ({ lastUsedAt }) => lastUsedAt,
}

const Row = ({ of, workspace, principal, outcome }: Omit<Shown, 'sorting'> & { readonly of: KeyInUse }): VNode => {
  const { id, name, scopes, createdAt, lastUsedAt, spendingLimit, spentToday, isValid } = of
  return (
    <tr id={id}>
      <td class="first">
        <span class="in">
          <strong class="cut" title={name}>{name}</strong> <Id of={id} />
          <span class="soft cut">{texts.made} <Time at={createdAt} as="ago" /></span>
        </span>
      </td>
      <td class="mark"><KeyState of={of} /></td>
      <td class="what" title={scopes.join(', ')}>
        {scopes.length === SCOPES.length ? texts.all : scopes.length === 0 ? texts.nothing : scopes.join(', ')}
      </td>
      <td>
        {spendingLimit === undefined
          ? texts.noLimit
          : texts.spentOf(writeMoney(spentToday ?? 0n, workspace.currency), writeMoney(spendingLimit, workspace.currency))}
      </td>
      <td class="number sent">{lastUsedAt === undefined ? texts.never : <Time at={lastUsedAt} as="ago" />}</td>
      <td class="act">
        {isValid && isAllowed(principal, 'key.revoke', workspace) && (
          <Menu label={texts.actsOf(name)} isOpen={outcome.at === `overlap-${id}`}>
            {of.replacedBy === undefined && isAllowed(principal, 'key.rotate', workspace) && (
              <Rotate of={of} workspace={workspace} outcome={outcome} />
            )}
            <Revoke of={of} workspace={workspace} />
          </Menu>
        )}
      </td>
    </tr>
  )
}

const KeyState = ({ of: { revokedAt, expiresAt, replacedBy, isValid } }: { readonly of: KeyInUse }): VNode => (
  <>
    {revokedAt !== undefined
      ? <><State text={texts.revoked} tone="bad" /> <span class="soft why"><Time at={revokedAt} as="ago" /></span></>
      : <State text={isValid ? texts.valid : texts.expired} tone={isValid ? 'good' : 'quiet'} />}
    {revokedAt === undefined && expiresAt !== undefined && (
      <>{' '}<span class="soft why">{isValid ? texts.until : texts.since} <Time at={expiresAt} /></span></>
    )}
    {replacedBy !== undefined && <>{' '}<span class="soft why">{texts.replacedBy} <Id of={replacedBy} href={`#${replacedBy}`} /></span></>}
  </>
)

const Rotate = ({ of: { id, name }, workspace, outcome }: Omit<Shown, 'principal' | 'sorting'> & { readonly of: KeyInUse }): VNode => (
  <Confirm
    title={texts.rotate} label={texts.rotateOne(name)} sentence={texts.rotateSentence}
    action={`/console/workspaces/${workspace.id}/keys/rotate`} verb={texts.doRotate}
    isOpen={outcome.at === `overlap-${id}`}
  >
    <input type="hidden" name="key" value={id} />
    <Field
      id={`overlap-${id}`} name="overlap" label={texts.overlap} {...faultAt(outcome, `overlap-${id}`)}
      value={(outcome.at === `overlap-${id}` ? outcome.overlap : undefined) ?? DEFAULT_OVERLAP}
    />
  </Confirm>
)

const Revoke = ({ of: { id, name }, workspace }: { readonly of: KeyInUse; readonly workspace: Workspace }): VNode => (
  <Confirm
    title={texts.revoke} label={texts.revokeOne(name)} sentence={texts.revokeSentence}
    action={`/console/workspaces/${workspace.id}/keys/revoke`} verb={texts.doRevoke} isDangerous
  >
    <input type="hidden" name="key" value={id} />
  </Confirm>
)
