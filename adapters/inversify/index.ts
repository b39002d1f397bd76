/**
 * Postern for an inversify container: a typed token of each port, and the module that makes the use cases of them.
 *
 * @packageDocumentation
 */
import { ContainerModule, type ResolutionContext, type ServiceIdentifier } from 'inversify'
import { type OptionalPort, OTHER_PORTS, type Ports, STORAGE_PORTS } from '../../core/ports.js'
import { makePostern, makeSending, type Postern, type Sending, type Settling } from '../../core/postern.js'
import type { SendingSettings, Settings } from '../../core/settings.js'
import type { SendTemplate, SendText } from '../../core/sending/send.js'

// The symbol carries no type by itself; naming it here is what lets the compiler check every binding and every use.
const token = <T>(name: string): ServiceIdentifier<T> => Symbol.for(`postern/${name}`)

/** A token of each port. */
export type PortTokens = { readonly [Port in keyof Required<Ports>]: ServiceIdentifier<Required<Ports>[Port]> }

const FACTS = { ...STORAGE_PORTS, ...OTHER_PORTS }
const NAMES = Object.keys(FACTS) as ReadonlyArray<keyof Ports>

type NeededPort = Exclude<keyof Ports, OptionalPort>
const isNeeded = (name: keyof Ports): name is NeededPort => !('isOptional' in FACTS[name])

/** The token of each port, by its name in `Ports`. */
export const PORTS = Object.fromEntries(
  NAMES.map((name) => [name, token(name.replace(/^./, (first) => first.toUpperCase()))]),
) as PortTokens

/** The settings of all use cases. */
export const SETTINGS = token<Settings>('Settings')
/** The settings of the sends, for the module `sends`. */
export const SENDING_SETTINGS = token<SendingSettings>('SendingSettings')
/** Every use case. */
export const POSTERN = token<Postern>('Postern')
/** The two sends, and what follows them. */
export const SENDING = token<Sending & Settling>('Sending')
/** Use case: sends free text. */
export const SEND_TEXT = token<SendText>('SendText')
/** Use case: sends an approved template. */
export const SEND_TEMPLATE = token<SendTemplate>('SendTemplate')

/** The ports that are bound, by their names: those that are needed, else it throws, and of the others those that there are. */
const boundPorts = <Needed extends keyof Ports>(
  needed: ReadonlyArray<Needed>, { get }: Pick<ResolutionContext, 'get'>,
): Pick<Ports, Needed> & Partial<Ports> => {
  const mustBeBound: ReadonlySet<keyof Ports> = new Set(needed)
  const resolved = (name: keyof Ports, one: ServiceIdentifier = PORTS[name]): unknown =>
    mustBeBound.has(name) ? get(one) : get(one, { optional: true })
  const bound = NAMES.map((name) => [name, resolved(name)] as const)
  return Object.fromEntries(bound.filter(([, port]) => port !== undefined)) as Pick<Ports, Needed> & Partial<Ports>
}

/** Every port, resolved. */
export const BOUND_PORTS = token<Ports>('BoundPorts')

/**
 * Every use case, made of the ports and settings that the app binds.
 *
 * They must be singletons: sends and quotes share which templates were read from the platform a moment ago.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(BOUND_PORTS).toDynamicValue((context) => boundPorts(NAMES.filter(isNeeded), context))
  bind(POSTERN).toResolvedValue(makePostern, [BOUND_PORTS, SETTINGS])
  bind(SEND_TEXT).toResolvedValue(({ sending }) => sending.sendText, [POSTERN])
  bind(SEND_TEMPLATE).toResolvedValue(({ sending }) => sending.sendTemplate, [POSTERN])
})

/** The two sends and what follows them, for an app that binds the ports of a send, and of the others what it has. */
export const sends = new ContainerModule(({ bind }) => {
  bind(SENDING).toDynamicValue((context) =>
    makeSending(boundPorts(['messageLog', 'platform', 'senders', 'wallet', 'windowClock'], context), context.get(SENDING_SETTINGS)))
  bind(SEND_TEXT).toResolvedValue(({ sendText }) => sendText, [SENDING])
  bind(SEND_TEMPLATE).toResolvedValue(({ sendTemplate }) => sendTemplate, [SENDING])
})
