import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { MINUTE_MS } from '../../../../core/kernel/time.js'
import type { QueueHold } from '../../../../core/messages/queue-holds.js'
import type { HeldMessages, NextMessage, QueueView, WaitingSender } from '../../../../core/sending/show-queue.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import type { ConsolePath } from '../../answer.js'
import { written } from '../../chart.js'
import type { UsesOf } from '../../gateway.js'
import { Icon } from '../../icons.js'
import { Confirm, Empty, faultAt, Field, Menu, Money, type Refused, Stat, State, Stats, Table, Time, type Tone } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { Departs, messagesPath, MessageStateChip, nameOf, type Names, readNames, What, whatOf, Who } from '../messages/message-table.js'
import { nameIn, numberPath, type Numbers, type NumbersDeps, readNumbers, titleOf, writtenNumber } from '../numbers/names.js'

const { queue: texts, numbers: numberTexts, messages: messageTexts } = TEXTS

/** The dependencies of these pages. */
export type QueueSection = UsesOf<'queue'> & NumbersDeps & Pick<UsesOf<'customers'>, 'nameCustomers'>
  & Pick<UsesOf<'workspaces'>, 'readWorkspaces'>

/** The address of the queue of a workspace. */
export const queuePath = (workspace: WorkspaceId): ConsolePath => `/console/workspaces/${workspace}/queue`

/** The address of the queues of all workspaces. */
export const ALL_QUEUES = '/console/queue'

/** The maximum number of the next messages that are shown. */
const SHOWN_NEXT = 25

/** The queue of a workspace, with the names that its page shows. */
export type ShownQueue = QueueView & {
  readonly next: ReadonlyArray<NextMessage>; readonly names: Names; readonly numbers: Numbers; readonly workspace: WorkspaceId
}

/** Reads the queue of a workspace. */
export const readShownQueue = async (
  section: QueueSection, workspace: WorkspaceId,
): Promise<E.Either<PortFailure, ShownQueue>> => {
  const [view, numbers] = await Promise.all([section.watchQueue(workspace, SHOWN_NEXT), readNumbers(section, workspace)])
  if (E.isLeft(view)) return view
  const names = await readNames(section.nameCustomers, view.right.next.map(({ record }) => record))
  return E.isLeft(names) ? names : E.right({ ...view.right, names: names.right, numbers, workspace })
}

/** The actions that a person may perform on the queue. */
export type QueueRights = { readonly mayCancel: boolean; readonly mayResume: boolean }

/** The live part of the page of a workspace. It depends on the rights of a person, and on nothing else about them. */
export const QueueContent = ({ shown, rights }: { readonly shown: ShownQueue; readonly rights: QueueRights }): VNode => {
  const { holds, senders, numbers, workspace } = shown
  const counts = countsOf(senders)
  return (
    <>
      {holds.length > 0 && (
        <ul class="attention-list">
          {holds.map((hold) => (
            <Held key={hold.workspace ?? ''} hold={hold} waiting={counts.waiting + counts.scheduled} rights={rights}>
              {rights.mayResume && (hold.workspace === undefined
                ? <a class="button plain" href={ALL_QUEUES}>{texts.showAll}</a>
                : <Resume action={`${queuePath(workspace)}/resume`} verb={texts.resume} {...counts} />)}
            </Held>
          ))}
        </ul>
      )}
      {senders.length === 0 ? <Empty sentence={texts.none} icon="queue" /> : <Figures holds={holds} senders={senders} />}
      {senders.length > 0 && (
        <>
          <h2>{texts.byNumber}</h2>
          <Table
            label={texts.byNumber}
            columns={[
              numberTexts.number, numberTexts.state, { number: texts.waiting }, { number: texts.scheduled }, { number: texts.rate },
              { number: texts.empty },
            ]}
          >
            {senders.map((one) => <SenderRow key={one.sender} of={one} isHeld={holds.length > 0} numbers={numbers} />)}
          </Table>
          <Next shown={shown} mayCancel={rights.mayCancel} />
        </>
      )}
    </>
  )
}

/** How many messages wait of some senders, and how many are scheduled. */
export const countsOf = (senders: ReadonlyArray<WaitingSender>): { readonly waiting: number; readonly scheduled: number } => ({
  waiting: senders.reduce((sum, { waiting }) => sum + waiting, 0), scheduled: senders.reduce((sum, { scheduled }) => sum + scheduled, 0),
})

/** A hold: what is held, how much, since when, why, and what to do. What an operator noted is for operators. */
export const Held = ({ hold: { workspace, since, why, note }, name, waiting, rights: { mayCancel, mayResume }, children }: {
  readonly hold: QueueHold
  /** The name of its workspace, if the page is not about it. */
  readonly name?: string | undefined
  readonly waiting: number
  readonly rights: QueueRights
  readonly children?: VNode | false
}): VNode => (
  <li>
    <Icon name="alert" />
    <div>
      <HeldSentence
        title={workspace === undefined ? texts.allHeld : name === undefined ? texts.isHeld : texts.ofHeld(name)} messages={waiting}
        since={since}
      />
      <p>
        {texts.why[why]}{mayResume && note !== undefined && <>: {note}</>}.{' '}
        {mayResume ? texts.lookFirst : mayCancel ? [texts.askOperator, texts.cancelUnwanted].join(' ') : texts.askOperator}
      </p>
      {children}
      {mayResume && <p class="hint">{texts.orCommand} <code>{commandOf(workspace)}</code></p>}
    </div>
  </li>
)

const HeldSentence = ({ title, messages, since }: HeldMessages & { readonly title: string }): VNode => (
  <><strong>{title}</strong> {texts.since} <Time at={since} />. {texts.wait(messages)}.</>
)

/** The line of another page that says that messages are held, with a link to the page of the queue. */
export const HeldLine = ({ held, title, href, act }: {
  readonly held: HeldMessages; readonly title: string; readonly href: string; readonly act: string
}): VNode => <li><Icon name="alert" /><div><HeldSentence {...held} title={title} /></div><a href={href}>{act}</a></li>

const commandOf = (workspace: WorkspaceId | undefined): string =>
  ['postern', 'queue', 'resume', ...(workspace === undefined ? [] : [workspace])].join(' ')

/** Lets what waits be sent, after its number was read. */
export const Resume = ({ action, verb, waiting, scheduled, sentence }: {
  readonly action: string; readonly verb: string; readonly waiting: number; readonly scheduled: number
  readonly sentence?: string
}): VNode => (
  <Confirm
    title={`${verb}…`} action={action} verb={verb}
    sentence={[texts.resumeSentence(waiting, scheduled), ...(sentence === undefined ? [] : [sentence])].join(' ')}
  />
)

/** The rare action that holds a queue. */
export const Hold = ({ action, verb, sentence, outcome, note }: {
  readonly action: string; readonly verb: string; readonly sentence: string; readonly outcome: Refused
  readonly note: string | undefined
}): VNode => (
  <Confirm title={`${verb}…`} sentence={sentence} action={action} verb={verb} isDangerous isOpen={outcome.at === 'note'}>
    <Field id="note" label={texts.note} hint={texts.noteHint} value={note} maxLength={1_000} {...faultAt(outcome, 'note')} />
  </Confirm>
)

/** Whether the queue of a workspace is held. */
export const isHeldBy = (holds: ReadonlyArray<QueueHold>, workspace: WorkspaceId): boolean =>
  holds.some((hold) => hold.workspace === undefined || hold.workspace === workspace)

/** How many messages wait, since when, and when none does any more. */
export const Figures = ({ holds, senders }: Pick<QueueView, 'holds' | 'senders'>): VNode => {
  const { waiting, scheduled } = countsOf(senders)
  const oldest = Math.min(...senders.map(({ oldestDueAt = Infinity }) => oldestDueAt))
  const left = senders.filter((one) => one.waiting > 0)
  const ends = left.map(({ emptyAt }) => emptyAt)
  const isAnyHeld = left.some(({ workspace }) => isHeldBy(holds, workspace))
  const isKnown = ends.length > 0 && ends.every((end) => end !== undefined) && !isAnyHeld
  return (
    <Stats>
      <Stat name={texts.waiting} value={written(waiting)}>{waiting > 0 ? texts.dueNow : texts.noneDue}</Stat>
      <Stat name={texts.scheduled} value={written(scheduled)}>{texts.ofTheirTime}</Stat>
      {oldest < Infinity && (
        <Stat name={texts.oldest} value={<Time at={oldest} as="ago" />}>{texts.since} <Time at={oldest} as="next" /></Stat>
      )}
      {waiting > 0 && (
        <Stat name={texts.empty} value={isKnown ? <EmptyAt at={Math.max(...ends)} /> : TEXTS.overview.nothing}>
          {isAnyHeld ? texts.notBefore : isKnown ? texts.earliest : texts.atOnce}
        </Stat>
      )}
    </Stats>
  )
}

/** When nothing waits any more: by the minute, so that a live part changes no more often. */
export const EmptyAt = ({ at }: { readonly at: number }): VNode => <Time at={Math.ceil(at / MINUTE_MS) * MINUTE_MS} as="next" />

/** What waits of a number, and what keeps it. */
const SenderRow = ({ of, isHeld, numbers }: {
  readonly of: WaitingSender; readonly isHeld: boolean; readonly numbers: Numbers
}): VNode => {
  const one = numbers.find(({ sender }) => sender.phoneNumberId === of.sender)
  return (
    <tr>
      <td class="first">
        <a class="known" href={of.sender === '' ? messagesPath(of.workspace) : numberPath(of.workspace, senderIdOf(of.sender))}>
          <span class="tile"><Icon name="sender" /></span>
          <span>
            <span class="title">{titleIn(numbers, of.sender)}</span>
            {one !== undefined && writtenNumber(one) !== undefined && writtenNumber(one) !== titleOf(one) && (
              <span class="whole soft">{writtenNumber(one)}</span>
            )}
          </span>
        </a>
      </td>
      <SenderCells of={of} isHeld={isHeld} numbers={numbers} />
    </tr>
  )
}

/** The name of a sender of queued messages. */
export const titleIn = (numbers: Numbers, sender: string): string => (sender === '' ? texts.noSender : nameIn(numbers, senderIdOf(sender)))

/** The state of the queue of a number, and its counts. */
export const SenderCells = ({ of: { sender, waiting, scheduled, oldestDueAt, rate, emptyAt }, isHeld, numbers }: {
  readonly of: WaitingSender; readonly isHeld: boolean; readonly numbers: Numbers
}): VNode => {
  const known = numbers.find((one) => one.sender.phoneNumberId === sender)?.sender
  const isRefused = known !== undefined && (known.isUnreadable || known.failingSince !== undefined)
  const [text, tone, keeps]: readonly [string, Tone, string] = isHeld ? [texts.states.held, 'attention', texts.keeps.held]
    : isRefused ? [known.isUnreadable ? numberTexts.tokenUnreadable : numberTexts.failing, 'bad', texts.keeps.token]
    : waiting > 0 ? [texts.states.sending, 'moving', texts.keeps.sending]
    : [texts.states.scheduled, 'quiet', texts.keeps.scheduled]
  return (
    <>
      <td class="mark"><div class="stated"><State text={text} tone={tone} /><span class="hint">{keeps}</span></div></td>
      <td data-label={texts.waiting} class="number">
        <span>
          {written(waiting)}
          {oldestDueAt !== undefined && <span class="hint beneath">{texts.since} <Time at={oldestDueAt} as="next" /></span>}
        </span>
      </td>
      <td data-label={texts.scheduled} class="number">{written(scheduled)}</td>
      <td data-label={texts.rate} class="number">{rate === undefined ? numberTexts.unlimited : numberTexts.perSecond(written(rate))}</td>
      <td data-label={texts.empty} class="number">
        {waiting === 0 || isHeld || emptyAt === undefined ? TEXTS.overview.nothing : <EmptyAt at={emptyAt} />}
      </td>
    </>
  )
}

/** The messages that leave next, each with the action that cancels it. */
const Next = ({ shown: { next, names, senders }, mayCancel }: { readonly shown: ShownQueue; readonly mayCancel: boolean }): VNode => {
  const { waiting, scheduled } = countsOf(senders)
  const title = next.length < waiting + scheduled ? texts.nextOf(written(next.length)) : texts.next
  return (
    <>
      <h2>{title}</h2>
      <Table
        label={title} isCompact
        columns={[
          messageTexts.to, messageTexts.state, messageTexts.what, { number: messageTexts.price }, { number: texts.due },
          ...(mayCancel ? [{ fit: texts.acts }] : []),
        ]}
      >
        {next.map(({ record, ...departure }) => (
          <tr key={record.id} id={record.id}>
            <td class="first">
              <a href={`${messagesPath(record.workspace)}/${record.id}`}><Who message={record} names={names} /></a>
            </td>
            <td class="mark">
              <MessageStateChip state={record.state} />{departure.waitsFor !== 'time' && <Departs departure={departure} />}
            </td>
            <td class="what cut" title={whatOf(record)}><What message={record} /></td>
            <td class="number amount"><Money {...record.price} /></td>
            <td class="number sent"><Time at={departure.dueAt} as="next" /></td>
            {mayCancel && (
              <td class="act">
                <Menu label={texts.actsOf(nameOf(record, names))}>
                  <Cancel of={record} name={nameOf(record, names)} back="queue" />
                </Menu>
              </td>
            )}
          </tr>
        ))}
      </Table>
    </>
  )
}

/** The action that cancels a queued message. */
export const Cancel = ({ of: { workspace, id }, name, back }: {
  readonly of: NextMessage['record']; readonly name: string
  /** The page that follows: the queue instead of the message. */
  readonly back?: 'queue'
}): VNode => (
  <Confirm
    title={`${texts.cancel}…`} label={texts.cancelOf(name)} sentence={texts.cancelSentence} isDangerous
    action={`${messagesPath(workspace)}/${id}/cancel`} verb={texts.cancel} verbLabel={texts.cancelOf(name)}
  >
    {back !== undefined && <input type="hidden" name="back" value={back} />}
  </Confirm>
)
