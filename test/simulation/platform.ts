import * as E from 'fp-ts/lib/Either.js'
import { type CustomerIds, isUserId, type PhoneNumber } from '../../core/customers/customer.js'
import type { AppId, WorkspaceId } from '../../core/kernel/ids.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Accepted, MessageId, PlatformId } from '../../core/messages/message.js'
import type { Receive, Report } from '../../core/reports/receive.js'
import type { SenderId } from '../../core/senders/sender.js'
import type { Outbound, Platform } from '../../core/sending/dispatch.js'
import type { TemplateSource } from '../../core/templates/catalogue.js'
import type { Template } from '../../core/templates/template.js'
import type { BackUp } from './backup.js'
import type { Gateway } from './gateway.js'
import type { Numbers, Renumbered } from './numbers.js'
import { ACCOUNT, hasUserId, idNow, nextIdOf, OTHER_APP, type SimulatedSender } from './senders.js'
import type { World } from './world.js'

/** A message that the platform accepted, and its reported states. */
export type Taken = {
  readonly id: MessageId
  readonly platformId: PlatformId
  readonly phoneNumberId: SenderId
  readonly at: Instant
  /** What really happened to it, in this order. */
  readonly truth: ReadonlyArray<ReportedState>
  /** The states whose report a gateway has confirmed. */
  readonly confirmed: Set<ReportedState>
  /** The window was closed, which the platform reports in a status and not in its response. */
  readonly isTooLate: boolean
}

/** The states that the platform reports. */
export type ReportedState = 'sent' | 'delivered' | 'read' | 'failed'

/** The simulated platform: the messages that it accepted, and functions that trigger its events. */
export type SimulatedPlatform = {
  /** The messages that it accepted under each of our ids; more than one is a duplicate. */
  readonly taken: ReadonlyMap<MessageId, ReadonlyArray<Taken>>
  /** The port through which a gateway sends. */
  readonly portOf: (gateway: Gateway) => Platform
  readonly templates: TemplateSource
  /**
   * A customer writes to a number; the platform may leave out the customer's own number, and report the message this many milliseconds later. `onKept` is called when a gateway
   * has confirmed it.
   */
  readonly inbound: (
    sender: SimulatedSender, customer: CustomerIds,
    how?: { readonly hidesNumber?: boolean; readonly later?: number; readonly text?: string; readonly onKept?: () => void },
  ) => void
  /** A customer stops marketing messages, or resumes them. */
  readonly choose: (sender: SimulatedSender, customer: PhoneNumber, stopped: boolean, onKept?: () => void) => void
  /** The times at which a customer wrote to a number, according to the platform. */
  readonly writtenAt: (sender: SimulatedSender, customer: string) => ReadonlySet<Instant>
  /** The number to which a customer sent a message. */
  readonly writtenTo: (message: unknown) => SimulatedSender | undefined
  /** A message of another program, without our mark, gets a status. */
  readonly foreign: (sender: SimulatedSender, customer: PhoneNumber, state: ReportedState) => void
  /** Reports a message of a customer, or the failure of a message, at the address of another app. */
  readonly misroute: (sender: SimulatedSender, customer: PhoneNumber) => void
  /** A number moves to another business account. Nothing can be sent through its former id. */
  readonly move: (sender: SimulatedSender) => void
  /** Refuses the credentials of a number from now on, or accepts them again. */
  readonly refuseCredentials: (sender: SimulatedSender, isRefused: boolean) => void
  /** Pauses or approves the template that the workspaces send, and reports it. */
  readonly changeTemplate: (status: 'approved' | 'paused') => void
  /** Backs up which reports are confirmed and so known to the storage; the returned function restores this. Confirmed reports are not repeated even then. */
  readonly backUpConfirmed: BackUp
  /** From now on it responds immediately and correctly to everything. */
  readonly calmDown: () => void
}

/** The parts of a platform: the gateways that it notifies, and the functions that are called for accepted messages. */
export type PlatformParts = {
  readonly world: World
  readonly gateways: () => readonly [Gateway, ...Gateway[]]
  readonly onTaken: (outbound: Outbound, takenBefore: ReadonlyArray<Taken>) => void
  /** A gateway starts to send a message. */
  readonly onLeaving: (outbound: Outbound, gateway: Gateway) => void
  /** Notifies a gateway of a message of another program. */
  readonly hearForeign: HearForeign
  /** Notifies a gateway at the address of another app than that of the sender. */
  readonly hearElsewhere: HearForeign
  /** Notifies a gateway of anything else. */
  readonly onReport: (report: Report, tell: () => Promise<Told>) => Promise<Told>
  readonly senderOf: (id: SenderId) => SimulatedSender
  /** Changes a report if a defect is planted. */
  readonly spoil?: ((report: Report, app: AppId | undefined) => Report) | undefined
  /** Whether the books contain a message, with its customer. */
  readonly isKnown: (message: MessageId) => boolean
  readonly numbers: () => Numbers
  /** How unreliable it is: 0 always accepts and responds. */
  readonly roughness: number
}

/** The template that the workspaces send. */
export const TEMPLATE = 'order_update'
/** A template for marketing. */
export const OFFER = 'spring_offer'

/** How long the platform repeats an unconfirmed notification: <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>. */
const REPEATS_FOR_MS = 7 * DAY_MS
/** Sends a gateway the status of a message of another program, and records how the gateway replies. */
export type HearForeign = (workspace: WorkspaceId, tell: () => Promise<Told>) => Promise<Told>
export type Told = Awaited<ReturnType<Receive>> | 'lost'

/** Facts from a response get the timestamp of the gateway's own clock when the response arrives. */
const ANSWER_GIVE_MS = 45 * SECOND_MS
/** Facts from a report get the platform's timestamp, in whole seconds. */
const REPORT_GIVE_MS = 3 * SECOND_MS

/** How long a gateway waits for a response. */
const DEADLINE_MS = 30 * SECOND_MS

/** Makes a platform that has accepted no message. */
export const makePlatform = ({
  world, gateways, onTaken, onLeaving, hearForeign, hearElsewhere, onReport, senderOf, spoil, isKnown, numbers, roughness,
}: PlatformParts): SimulatedPlatform => {
  const taken = new Map<MessageId, ReadonlyArray<Taken>>()
  let [isCalm, status] = [false, 'approved']
  let [inbounds, foreigns] = [0, 0]
  const [written, writtenTo, refused] = [new Map<string, Set<Instant>>(), new Map<unknown, SimulatedSender>(), new Set<SimulatedSender>()]

  /** Messages that are not templates are accepted for 24 hours after the customer wrote. */
  const isWindowClosed = ({ sender: { phoneNumberId }, message: { _tag, to } }: Outbound): boolean => {
    const sender = senderOf(phoneNumberId)
    const at = written.get(`${sender.name} ${dialled(phoneNumberId, to)?.knownBy ?? to}`) ?? []
    return _tag !== 'Template' && (world.now() - Math.max(0, ...at) >= 24 * HOUR_MS || (isUserId(to) && !hasUserId(sender, to)))
  }

  /** The customer with a dialled number that may differ from the platform's. */
  const dialled = (phoneNumberId: SenderId, to: string): Renumbered | undefined =>
    numbers().people.find((one) => one.sender === senderOf(phoneNumberId) && one.dialled === to)

  /** Names a customer as the platform knows them now; the returned function is called when a gateway has confirmed it. */
  const nameOf = (of: Renumbered, give: number): { readonly number: PhoneNumber; readonly onConfirmed: () => void } =>
    ({
      number: of.knownBy,
      onConfirmed: numbers().onNamed({ of, number: of.knownBy, at: give === REPORT_GIVE_MS ? inSeconds() : world.now(), give }),
    })

  /** The platform's timestamps are whole seconds. */
  const inSeconds = (): Instant => Math.floor(world.now() / SECOND_MS) * SECOND_MS

  /** Notifies a gateway, and repeats it until one confirms it; some notifications are repeated even then. */
  const notify = (
    what: string, made: Report, onConfirmed: () => void = () => undefined, isStill: () => boolean = () => true,
    hear: (tell: () => Promise<Told>) => Promise<Told> = (tell) => onReport(made, tell),
  ): void => {
    world.begin(world.nameOf(what), async () => {
      const choices = world.choices()
      const until = world.now() + REPEATS_FOR_MS
      let isAgain = false
      for (let pause = 2 * SECOND_MS; ; pause = Math.min(3 * pause, 6 * HOUR_MS)) {
        await world.sleep(choices.time(5, 500))
        if (!isStill()) return
        const gateway = choices.one(gateways())
        world.note('platform', () => `${isAgain ? 'repeats' : 'reports'} ${what} to ${gateway.name}`)
        const heard = 'phoneNumberId' in made ? spoil?.(made, senderOf(made.phoneNumberId).app) ?? made : made
        const answer = await hear(() => gateway.ask(({ upkeep }) => upkeep.receive([heard])))
        const isConfirmed = answer !== 'lost' && E.isRight(answer)
        world.note(gateway.name, () =>
          answer === 'lost' ? 'does not answer'
            : E.isRight(answer) ? `confirms: ${answer.right.join(', ')}`
            : `refuses: ${answer.left._tag}`)
        if (answer !== 'lost' && E.isLeft(answer)) world.reach(`a report is refused: ${answer.left._tag}`)
        if (isConfirmed && !answer.right.includes('unknown_sender')) onConfirmed()
        if (isConfirmed && (isAgain || !choices.chance(0.1 * roughness))) return
        if (isConfirmed) world.reach('a confirmed report comes again')
        isAgain = true
        if (world.now() + pause > until) {
          world.reach('a report is given up after seven days')
          return
        }
        await world.sleep(isCalm ? 100 : pause)
      }
    })
  }

  const report = (of: Taken, to: PhoneNumber, state: ReportedState, more: Partial<Taken> = {}): Report => {
    const { id, platformId, phoneNumberId } = { ...of, ...more }
    return {
      _tag: 'StatusReport', ...at(senderOf(phoneNumberId), phoneNumberId), messageId: id, platformId, to,
      change: {
        state, at: inSeconds(), platformId,
        ...(state === 'failed'
          ? { error: of.isTooLate ? RE_ENGAGEMENT : { code: 131026, title: 'Message undeliverable' } }
          : { pricing: { billable: true, category: 'service', type: 'regular' } }),
      },
    }
  }

  /** The id and the app of a report on a sender. */
  const at = (sender: SimulatedSender, phoneNumberId = idNow(sender)) =>
    ({ phoneNumberId, ...(sender.app !== undefined && { app: sender.app }) })

  /** Each state is reported separately, so that a later one may overtake an earlier one. */
  const reportLater = (one: Taken, to: PhoneNumber): void => {
    let after = 0
    const person = dialled(one.phoneNumberId, to)
    const isLate = person?.isReportedLate === true
    for (const state of one.truth) {
      world.begin(world.nameOf(`what became of ${one.id}`), async () => {
        const choices = world.choices()
        after += choices.chance(0.1 * roughness) ? choices.whole(HOUR_MS, 9 * DAY_MS) : choices.time(50, 20 * MINUTE_MS)
        await world.sleep(choices.chance(0.2 * roughness) ? choices.time(20, 2_000) : after)
        const named = person && nameOf(person, REPORT_GIVE_MS)
        const made = report(one, named?.number ?? to, state)
        // It reports the current state, and the customer may have another number when it arrives.
        if (isLate) await world.sleep(choices.whole(HOUR_MS, 12 * HOUR_MS))
        notify(`${state} of ${one.id}`, made, () => {
          one.confirmed.add(state)
          if (isKnown(one.id)) named?.onConfirmed()
        })
      })
    }
    world.begin(world.nameOf(`another program beside ${one.id}`), async () => {
      const choices = world.choices()
      if (!choices.chance(0.06 * roughness)) return
      await world.sleep(choices.whole(MINUTE_MS, 3 * DAY_MS))
      // Our id counts until the platform's id is known, as documented. So a status of another program names our id falsely only from then on.
      const isKnown = (): boolean => one.confirmed.has('sent') || one.confirmed.has('delivered')
      if (!isKnown()) return
      world.reach('a status of another program names our id')
      notify(
        `another program's failure under ${one.id}`, report(one, to, 'failed', { platformId: `wamid.foreign.${one.id}` as PlatformId }),
        undefined, isKnown,
      )
    })
  }

  const take = ({ id, sender: { phoneNumberId }, message: { to } }: Outbound, isTooLate: boolean): Taken => {
    const choices = world.choices()
    const before = taken.get(id) ?? []
    const usual = choices.weighted({
      delivered: 4, read: 3, sent: 1, failed: 1.2 * roughness, 'sent, then failed': 0.8 * roughness, nothing: 0.5 * roughness,
    })
    const one: Taken = {
      id, phoneNumberId, at: world.now(), platformId: `wamid.${id}.${before.length}` as PlatformId, confirmed: new Set(),
      truth: TRUTHS[isTooLate ? 'failed' : usual], isTooLate,
    }
    taken.set(id, [...before, one])
    world.note('platform', () => `takes ${id}, which will be: ${one.truth.join(', ') || 'never heard of'}`)
    reportLater(one, to as PhoneNumber)
    return one
  }

  const send = async (gateway: Gateway, outbound: Outbound): ReturnType<Platform['send']> => {
    const life = gateway.life()
    const choices = world.choices()
    onLeaving(outbound, gateway)
    const usual = isCalm ? 'taken' : choices.weighted<Exclude<Fate, 'moved' | 'window closed' | 'window closed, and reported later'>>({
      taken: 20, unreachable: roughness, refused: roughness, throttled: roughness, 'credentials refused': 0.5 * roughness,
      'answer lost': 1.5 * roughness, 'taken, and an error': roughness, 'not taken, and an error': roughness, slow: 2 * roughness,
    })
    await world.sleep(choices.time(20, 800))
    await gateway.still(life, undefined)
    const closed = isReportedLater(outbound) ? 'window closed, and reported later' : 'window closed'
    const sender = senderOf(outbound.sender.phoneNumberId)
    const hasMoved = idNow(sender) !== outbound.sender.phoneNumberId
    const fate: Fate = hasMoved ? 'moved' : refused.has(sender) ? 'credentials refused' : isWindowClosed(outbound) ? closed : usual
    world.reach(`the platform: ${fate}`)
    const isTooLate = fate === 'window closed, and reported later'
    const isTaken = fate === 'taken' || fate === 'answer lost' || fate === 'taken, and an error' || fate === 'slow' || isTooLate
    if (isTaken) onTaken(outbound, taken.get(outbound.id) ?? [])
    else world.note('platform', () => `${outbound.id}: ${fate}`)
    const one = isTaken ? take(outbound, isTooLate) : undefined
    await world.sleep(
      fate === 'slow' ? choices.whole(2_000, DEADLINE_MS - 1) : fate === 'answer lost' ? DEADLINE_MS : choices.time(20, 800),
    )
    await gateway.awake()
    const answer = answerOf(fate, one)
    const person = E.isRight(answer) ? dialled(outbound.sender.phoneNumberId, outbound.message.to) : undefined
    return gateway.still(life, person === undefined ? answer : E.map((accepted: Accepted) => (
      { ...accepted, dialled: person.dialled, customer: { phoneNumber: nameOf(person, ANSWER_GIVE_MS).number } }))(answer))
  }

  /** The template has another category in the other business account, and is never paused there. */
  const templates = (account: string): ReadonlyArray<Template> => [
    account === ACCOUNT ? template(TEMPLATE, 'utility', status) : template(TEMPLATE, 'marketing', 'approved'),
    template(OFFER, 'marketing', 'approved'),
  ]

  const template = (name: string, category: string, itsStatus: string): Template => ({
    id: name, name, language: 'en', category, status: itsStatus, quality: undefined, parameterFormat: 'positional',
    components: [{ type: 'BODY', text: 'It is on its way.' }],
  })

  return {
    taken,
    portOf: (gateway) => ({ send: (outbound) => send(gateway, outbound) }),
    templates: {
      list: async ({ businessAccountId }, name) => {
        const choices = world.choices()
        await world.sleep(choices.time(20, 2_000))
        if (!isCalm && choices.chance(0.05 * roughness)) return E.left({ _tag: 'PlatformUnreachable', cause: 'simulated' })
        return E.right(templates(businessAccountId).filter((one) => name === undefined || name === one.name))
      },
    },
    inbound: (sender, { phoneNumber, userId }, { hidesNumber = false, later = 0, text = 'Hello', onKept } = {}) => {
      inbounds += 1
      const message = { id: `wamid.in.${inbounds}` as PlatformId, type: 'text', content: { body: text } }
      const wroteAt = inSeconds()
      writtenTo.set(message.id, sender)
      for (const id of [phoneNumber, userId].filter((one) => one !== undefined)) {
        const of = `${sender.name} ${id}`
        written.set(of, (written.get(of) ?? new Set()).add(wroteAt))
      }
      const person = phoneNumber && dialled(idNow(sender), phoneNumber)
      if (person !== undefined) numbers().onNamed({ of: person, number: phoneNumber as PhoneNumber, at: wroteAt, give: REPORT_GIVE_MS })
      const customer = { ...(phoneNumber !== undefined && !hidesNumber && { phoneNumber }), ...(userId !== undefined && { userId }) }
      const inbound: Report = { _tag: 'Inbound', ...at(sender), customer, at: wroteAt, message }
      world.begin(world.nameOf('a message'), async () => {
        await world.sleep(later)
        notify(`a message of ${phoneNumber ?? userId}`, inbound, onKept)
      })
    },
    choose: (sender, phoneNumber, stopped, onKept) => {
      const what = stopped ? `${phoneNumber} stops marketing messages` : `${phoneNumber} takes marketing messages again`
      notify(what, { _tag: 'MarketingPreference', ...at(sender), customer: { phoneNumber }, stopped, at: inSeconds() }, onKept)
    },
    writtenAt: ({ name }, customer) => written.get(`${name} ${customer}`) ?? new Set(),
    writtenTo: (message) => writtenTo.get(message),
    foreign: (sender, to, state) => {
      foreigns += 1
      const platformId = `wamid.other.${foreigns}` as PlatformId
      const status: Report = {
        _tag: 'StatusReport', ...at(sender), messageId: undefined, platformId, to, change: { state, at: inSeconds(), platformId },
      }
      const hear = (tell: () => Promise<Told>): Promise<Told> => hearForeign(sender.workspace, tell)
      notify(`${state} of a message of another program to ${to}`, status, undefined, undefined, hear)
    },
    misroute: (sender, phoneNumber) => {
      const one = [...taken.values()].flat().findLast(({ phoneNumberId }) => senderOf(phoneNumberId) === sender)
      const { app, ...rightly }: Report = one === undefined || world.choices().chance(0.5)
        ? { _tag: 'Inbound', ...at(sender), customer: { phoneNumber }, at: inSeconds() }
        : report(one, phoneNumber, 'failed')
      const made: Report = { ...rightly, ...(app === undefined && { app: OTHER_APP }) }
      notify(`a report on ${sender.name} at another app`, made, undefined, undefined, (tell) => hearElsewhere(sender.workspace, tell))
    },
    move: (sender) => {
      sender.ids.push(nextIdOf(sender))
      world.note('platform', () => `moves ${sender.name}, which is ${idNow(sender)} now`)
    },
    refuseCredentials: (sender, isRefused) => {
      world.note('platform', () => `${isRefused ? 'refuses' : 'accepts'} the credentials of ${sender.name}`)
      if (isRefused) refused.add(sender)
      else refused.delete(sender)
    },
    changeTemplate: (to) => {
      status = to
      notify(`the template is ${to}`, {
        _tag: 'TemplateChanged', accountId: ACCOUNT, at: world.now(), change: { name: TEMPLATE, language: 'en', status: to },
      })
    },
    backUpConfirmed: () => {
      const backup = new Map([...taken.values()].flat().map((one) => [one, [...one.confirmed]]))
      return () => {
        for (const one of [...taken.values()].flat()) {
          one.confirmed.clear()
          for (const state of backup.get(one) ?? []) one.confirmed.add(state)
        }
      }
    },
    calmDown: () => {
      isCalm = true
      status = 'approved'
      refused.clear()
    },
  }
}

const TRUTHS = {
  delivered: ['sent', 'delivered'], read: ['sent', 'delivered', 'read'], sent: ['sent'], failed: ['failed'],
  'sent, then failed': ['sent', 'failed'], nothing: [],
} as const satisfies Readonly<Record<string, ReadonlyArray<ReportedState>>>

/** The platform's error for a message whose window was closed. */
const RE_ENGAGEMENT: JsonObject = { code: 131047, message: 'Re-engagement message' }

/** Whether the platform accepts a message for which the window is closed and reports its failure later: it does so for half of them. */
const isReportedLater = ({ id }: Outbound): boolean => /[0-7]$/.test(id)

type Fate =
  | 'taken' | 'unreachable' | 'refused' | 'throttled' | 'credentials refused' | 'answer lost' | 'taken, and an error'
  | 'not taken, and an error' | 'slow' | 'moved' | 'window closed' | 'window closed, and reported later'

const answerOf = (fate: Fate, one: Taken | undefined): Awaited<ReturnType<Platform['send']>> => {
  const error: JsonObject = { code: 131000, message: 'Something went wrong' }
  switch (fate) {
    case 'taken': case 'slow': case 'window closed, and reported later':
      return one === undefined ? E.left({ _tag: 'OutcomeUnknown', cause: fate }) : E.right({ platformId: one.platformId })
    case 'unreachable': return E.left({ _tag: 'PlatformUnreachable', cause: fate })
    case 'refused': case 'moved': return E.left({ _tag: 'PlatformRejected', error })
    case 'window closed': return E.left({ _tag: 'PlatformRejected', error: RE_ENGAGEMENT })
    case 'throttled': return E.left({ _tag: 'PlatformThrottled', error })
    case 'credentials refused': return E.left({ _tag: 'CredentialsRefused', error })
    case 'answer lost': case 'taken, and an error': case 'not taken, and an error': return E.left({ _tag: 'OutcomeUnknown', cause: fate })
  }
}
