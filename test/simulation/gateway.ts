import * as E from 'fp-ts/lib/Either.js'
import { machine } from '../../adapters/machine/machine.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Instant, uuidPrefixOf } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { MessageId } from '../../core/messages/message.js'
import type { MessageMoney, Reserving } from '../../core/money/ledger.js'
import type {
  AllStoragePorts, BatchPorts, ConsentPorts, DeadlinePorts, PairLimitPorts, PortfolioBudgetPorts, Ports, QueueHoldPorts, QueuePorts,
  SenderBudgetPorts, SharedHoldPorts,
} from '../../core/ports.js'
import { makePostern, type Postern } from '../../core/postern.js'
import type { Machine, Settings } from '../../core/settings.js'
import type { RetryLater } from '../../core/sending/dispatch.js'
import type { Choices } from './choices.js'
import type { World } from './world.js'

/** How often calls between a gateway and its storage fail, and how slow they are. Probabilities of one call, times in milliseconds. */
export type Weather = {
  /** The call is lost before it has an effect. */
  readonly lost: number
  /** The response is lost, after the effect. */
  readonly answerLost: number
  /** The process crashes when the call has just had its effect. */
  readonly dies: number
  /** The duration of a call, one way. */
  readonly way: readonly [shortest: number, longest: number]
}

/** The storage that the gateways share. */
export type SimulatedStorage = AllStoragePorts & SharedHoldPorts & DeadlinePorts & QueuePorts & QueueHoldPorts & PairLimitPorts
  & SenderBudgetPorts & PortfolioBudgetPorts & BatchPorts & ConsentPorts

/** From an ordinary day to a bad one. */
export const WEATHERS = {
  fair: { lost: 0, answerLost: 0, dies: 0, way: [1, 20] },
  rough: { lost: 0.01, answerLost: 0.01, dies: 0.002, way: [1, 400] },
  storm: { lost: 0.04, answerLost: 0.04, dies: 0.006, way: [1, 6_000] },
} as const satisfies Readonly<Record<string, Weather>>

/** Observes every call of a storage when it has its effect, and performs it. */
export type Watch = <Answer>(call: StorageCall, run: () => Promise<Answer>) => Promise<Answer>

/** One call of a storage's port by a gateway. */
export type StorageCall = {
  readonly gateway: string
  readonly port: string
  readonly method: string
  readonly args: ReadonlyArray<unknown>
  readonly life: number
}

/** The data that a call writes to: a workspace's books and events, and a message if the call is about one. */
export type Touched = { readonly workspace: WorkspaceId; readonly message: MessageId | undefined }

/** The data that a call writes to; none if the call changes no message and no money. */
export const touchedBy = ({ port, method, args: [first, second] }: StorageCall): Touched | undefined => {
  switch (`${port}.${method}`) {
    case 'messageLog.open': case 'messageMoney.reserve': {
      const { workspace, id } = first as Draft
      return { workspace, message: id }
    }
    case 'messageLog.apply': return { workspace: first as WorkspaceId, message: second as MessageId }
    case 'wallet.hold': case 'wallet.capture': case 'wallet.capturePart': case 'wallet.release': case 'wallet.refund':
    case 'sharedHolds.split': case 'messageQueue.claim': case 'messageMoney.resolve': case 'freeMessages.take':
    case 'freeMessages.giveBack': return first as Touched
    case 'ledger.topUp': case 'ledger.adjust': case 'lostMessages.settle': case 'senders.noteHealth': case 'sharedHolds.hold':
    case 'sharedHolds.release': return {
      workspace: (first as Touched).workspace, message: undefined,
    }
    case 'walletAlerts.setThreshold': return { workspace: first as WorkspaceId, message: undefined }
    default: return undefined
  }
}

/** One process that runs the core. Its life ends with a crash, and its unfinished work never continues. */
export type Gateway = {
  readonly name: string
  /** The time of its clock. */
  readonly now: () => Instant
  readonly isUp: () => boolean
  /** How many times it was started. */
  readonly life: () => number
  readonly crash: () => void
  readonly start: () => void
  /** Disconnects it from its storage, or reconnects it. */
  readonly cutOff: (isCut: boolean) => void
  /** From now on each way of a call takes this many milliseconds longer. */
  readonly slowDown: (byMs: number) => void
  /** At the end of its next call of this method, the process crashes, or sleeps for this many milliseconds and then continues. */
  readonly disturbAfter: (method: string, how: 'crash' | number) => void
  /** Forgets a disturbance that has not happened yet. */
  readonly undisturb: () => void
  /** Waits until the process is not asleep. */
  readonly awake: () => Promise<void>
  /** Runs work in this life of the process. `lost`: it is down, or crashes meanwhile. */
  readonly ask: <Answer>(work: (postern: Postern, ports: Ports) => Promise<Answer>) => Promise<Answer | 'lost'>
  /** The core of this process over other ports. */
  readonly over: (ports: Ports) => Postern
  /** Returns the answer after the way back, unless the life in which the request was made has ended. */
  readonly still: <Answer>(life: number, answer: Answer) => Promise<Answer>
}

/** The parts of a gateway. */
export type GatewayParts = {
  readonly name: string
  readonly world: World
  readonly storage: SimulatedStorage
  readonly weather: () => Weather
  readonly watch: Watch
  /** Observes every call that is lost before its effect. */
  readonly onLost: (call: StorageCall) => void
  /** How far its clock is ahead of the world's, in milliseconds. */
  readonly skewMs: number
  /** The ports that are not storage, for a gateway. */
  readonly outside: (gateway: Gateway) => Omit<Ports, keyof AllStoragePorts>
  readonly settings: Omit<Settings, keyof Machine | 'retryLater'>
  /** Whether messages are opened and paid for in one step, if the storage supports it. */
  readonly isJoint: boolean
  /** Changes the ports if a defect is planted. */
  readonly spoil?: ((ports: Ports) => Ports) | undefined
}

/** Makes a running gateway. */
export const makeGateway = (parts: GatewayParts): Gateway => {
  const { name, world } = parts
  let [life, isUp, isCut, slowerByMs, asleepUntil] = [1, true, false, 0, 0]
  let disturbance: { readonly method: string; readonly how: 'crash' | number } | undefined
  let endLife: () => void = () => undefined
  let ended = Promise.resolve()
  let running: { readonly postern: Postern; readonly ports: Ports } | undefined

  const gateway: Gateway = {
    name,
    now: () => world.now() + parts.skewMs,
    isUp: () => isUp,
    life: () => life,
    crash: () => {
      if (!isUp) return
      world.note(name, () => 'dies')
      world.reach('a gateway dies')
      isUp = false
      life += 1
      endLife()
    },
    start: () => {
      if (!isUp) world.note(name, () => 'starts')
      begin()
    },
    cutOff: (cut) => {
      if (cut !== isCut) world.note(name, () => (cut ? 'is cut off from its storage' : 'has its storage again'))
      isCut = cut
    },
    slowDown: (byMs) => {
      if (byMs !== slowerByMs) world.note(name, () => `has a storage that takes ${2 * byMs} ms longer for a call`)
      slowerByMs = byMs
    },
    disturbAfter: (method, how) => { disturbance = { method, how } },
    undisturb: () => { disturbance = undefined },
    awake: async () => { if (asleepUntil > world.now()) await world.sleep(asleepUntil - world.now()) },
    ask: async (work) => {
      const [now, end] = [running, ended]
      if (!isUp || now === undefined) return 'lost'
      return Promise.race([work(now.postern, now.ports), end.then(() => 'lost' as const)])
    },
    over: (ports) => makePostern(ports, { ...parts.settings, ...machineOf(parts), retryLater: retryLaterOf(world, gateway) }),
    still: (of, answer) => (of === life ? Promise.resolve(answer) : new Promise(() => undefined)),
  }

  const disturb = (method: string): void => {
    if (disturbance?.method !== method) return
    const { how } = disturbance
    disturbance = undefined
    world.reach(`${how === 'crash' ? 'dies' : 'sleeps'} after: ${method}`)
    if (how === 'crash') gateway.crash()
    else {
      world.note(name, () => `sleeps for ${how} ms after ${method}`)
      asleepUntil = world.now() + how
    }
  }

  const begin = (): void => {
    isUp = true
    asleepUntil = 0
    ended = new Promise((resolve) => { endLife = resolve })
    const storage = overNetwork(parts, gateway, { isCut: () => isCut, slowerByMs: () => slowerByMs, disturb })
    const all = { ...storage, ...parts.outside(gateway) }
    const ports = parts.spoil?.(all) ?? all
    running = { ports, postern: gateway.over(ports) }
  }
  begin()
  return gateway
}

/** The storage as a gateway reaches it: calls take time, are lost in either direction, and a process may crash during a call. */
const overNetwork = (
  { world, storage, weather, watch, onLost, name, isJoint }: GatewayParts, gateway: Gateway,
  { isCut, slowerByMs, disturb }: {
    readonly isCut: () => boolean; readonly slowerByMs: () => number; readonly disturb: (method: string) => void
  },
): SimulatedStorage => {
  const lost = (port: string, how: string) => E.left(portFailure(port)(how))
  // A call from an earlier life must not write in a later one, for example into a storage that was restored meanwhile.
  const life = gateway.life()
  const call = async (port: string, method: string, args: ReadonlyArray<unknown>, run: () => Promise<unknown>): Promise<unknown> => {
    const { way: [shortest, longest], ...risk } = weather()
    const choices = world.choices()
    await world.sleep(slowerByMs() + choices.time(shortest, longest))
    await gateway.still(life, undefined)
    if (isCut() || choices.chance(risk.lost)) {
      onLost({ gateway: name, port, method, args, life })
      world.note(name, () => `${port}.${method} is lost before its effect`)
      world.reach(`lost before: ${port}.${method}`)
      return lost(port, 'it was lost on its way')
    }
    const answer = await watch({ gateway: name, port, method, args, life }, run)
    if (choices.chance(risk.dies)) {
      world.note(name, () => `dies after ${port}.${method}`)
      world.reach(`dies after: ${port}.${method}`)
      gateway.crash()
    }
    disturb(`${port}.${method}`)
    await world.sleep(slowerByMs() + choices.time(shortest, longest))
    await gateway.awake()
    await gateway.still(life, undefined)
    if (isCut() || choices.chance(risk.answerLost)) {
      world.note(name, () => `${port}.${method} has its effect, and its answer is lost`)
      world.reach(`lost after: ${port}.${method}`)
      return lost(port, 'its answer was lost')
    }
    return answer
  }
  const wrap = <Port extends object>(port: string, inner: Port): Port => {
    const methods = new Map<string | symbol, unknown>()
    return new Proxy(inner, {
      get: (target, method) => {
        if (port === 'windowClock' && method === 'now') return gateway.now
        if (method === 'reservingOver') return isJoint ? joint : undefined
        // This is an optional guess from data in the adapter's own process, and here all gateways share one process.
        if (method === 'lastSenderOf') return undefined
        const known = methods.get(method)
        if (known !== undefined) return known
        const found: unknown = Reflect.get(target, method)
        const made = typeof found !== 'function' ? found : (...args: ReadonlyArray<unknown>) =>
          call(port, String(method), args, async () => Reflect.apply(found, target, args) as unknown)
        methods.set(method, made)
        return made
      },
    })
  }
  const wrapped = new Map<string | symbol, unknown>()
  /** Uses the actual ports: if a defect has replaced a port, the replacement must not be bypassed. */
  const joint: MessageMoney['reservingOver'] = ({ messageLog, wallet, freeMessages }) => {
    const reserve = storage.messageMoney.reservingOver?.(storage)
    const isOwn = messageLog === wrapped.get('messageLog') && wallet === wrapped.get('wallet')
      && (freeMessages === undefined || freeMessages === wrapped.get('freeMessages'))
    return reserve === undefined || !isOwn
      ? undefined
      : (...args) => call('messageMoney', 'reserve', args, () => reserve(...args)) as ReturnType<Reserving>
  }
  return new Proxy(storage, {
    get: (target, port) => {
      const known = wrapped.get(port)
      if (known !== undefined) return known
      const inner: unknown = Reflect.get(target, port)
      const made = typeof inner === 'object' && inner !== null ? wrap(String(port), inner) : inner
      wrapped.set(port, made)
      return made
    },
  })
}

/** Ids that sort by the gateway's clock, and unchanged digests. */
const machineOf = ({ world, skewMs }: GatewayParts): Machine => ({
  ...machine,
  newUuid: () => uuidAt(world.now() + skewMs, world.choices()),
  randomText: (bytes) => hexOf(world.choices(), 2 * bytes),
})

const hexOf = (choices: Choices, digits: number): string => Array.from({ length: digits }, () => choices.whole(0, 15).toString(16)).join('')

const uuidAt = (at: number, choices: Choices): string => {
  const time = uuidPrefixOf(at)
  const random = [0, 1, 2].map(() => choices.whole(0, 0xffff_ffff).toString(16).padStart(8, '0')).join('')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
const TRIES = 40

/** Retries like the gateway's own queue, and gives up after some minutes, as it may. A process that crashes forgets it. */
const retryLaterOf = (world: World, gateway: Gateway): RetryLater => (work) => {
  const life = gateway.life()
  const retry = async (): Promise<void> => {
    for (let [tries, pause] = [0, FIRST_PAUSE_MS]; tries < TRIES; tries += 1, pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await world.sleep(pause)
      if (gateway.life() !== life) return
      world.reach('failed work is tried again')
      if (E.isRight(await work())) return
    }
    world.reach('failed work is given up')
  }
  world.begin(world.nameOf('retry'), retry)
}
