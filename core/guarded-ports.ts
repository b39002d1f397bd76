import type { PasswordHasher } from './access/passwords.js'
import { type OutcomeUnknown, type PlatformUnanswered, type PlatformUnreachable, portFailure } from './kernel/failure.js'
import { guardAdmission, guardPort, guardTracer, type PlainMethods } from './kernel/guard.js'
import type { Admission } from './kernel/limits.js'
import type { TracingDeps } from './kernel/tracing.js'
import type { Conversation } from './messages/conversation.js'
import type { PlatformNumbers } from './senders/number-health.js'
import type { SenderVerification } from './senders/use-cases.js'
import type { Platform } from './sending/dispatch.js'
import type { TemplateSource } from './templates/catalogue.js'

/** The ports that are guarded in addition to the storage ports, if present. */
export type GuardablePorts = TracingDeps & {
  readonly platform?: Platform
  readonly conversation?: Conversation
  readonly templateSource?: TemplateSource
  readonly platformNumbers?: PlatformNumbers
  readonly passwords?: PasswordHasher
  readonly senderVerification?: SenderVerification
  readonly admission?: Admission
}

/**
 * Makes ports that return a failure if they throw or reject, so that no use case rejects: the storage ports return a `PortFailure`, and the platform an unknown outcome,
 * because it may have sent the message.
 *
 * The clock, the function that makes ids, `fileBytes`, `webhooks` and `passwordHashQueue` stay as they are, because they have no failure to return.
 */
export const guardWith = <Given extends GuardablePorts>(storage: Readonly<Record<string, PlainMethods>>, ports: Given): Given => {
  const { platform, conversation, templateSource, platformNumbers, passwords, senderVerification, admission, tracer } = ports
  const others: ReadonlyMap<string | symbol, unknown> = new Map<string, unknown>(Object.entries({
    platform: platform && guardPort(platform, outcomeUnknown),
    conversation: conversation && guardPort(conversation, unanswered),
    templateSource: templateSource && guardPort(templateSource, unreachable),
    platformNumbers: platformNumbers && guardPort(platformNumbers, unreachable),
    passwords: passwords && guardPort(passwords, portFailure('PasswordHasher')),
    senderVerification: typeof senderVerification === 'object'
      ? guardPort(senderVerification, () => 'The platform could not be asked')
      : senderVerification,
    admission: admission && guardAdmission(admission),
    tracer: tracer && guardTracer(tracer),
  }))
  const methodsOf = new Map<string | symbol, PlainMethods>(Object.entries(storage))
  return {
    ...new Proxy({ ...ports }, {
      get: (given, name): unknown => {
        const port: unknown = Reflect.get(given, name)
        const plain = methodsOf.get(name)
        return typeof port === 'object' && port !== null && plain !== undefined
          ? guardPort(port, portFailure(titleOf(name)), plain)
          : others.get(name) ?? port
      },
    }),
  }
}

/** The name of a port in failures: `MessageLog` for `messageLog`. */
const titleOf = (name: string | symbol): string => String(name).replace(/^./, (first) => first.toUpperCase())

const outcomeUnknown = (cause: unknown): OutcomeUnknown => ({ _tag: 'OutcomeUnknown', cause })
const unanswered = (cause: unknown): PlatformUnanswered => ({ _tag: 'PlatformUnanswered', cause })
const unreachable = (cause: unknown): PlatformUnreachable => ({ _tag: 'PlatformUnreachable', cause })
