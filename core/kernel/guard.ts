import * as E from 'fp-ts/lib/Either.js'
import type { PlatformUnreachable } from './failure.js'
import type { Admission } from './limits.js'
import type { Span, Tracer } from './tracing.js'

/** The methods of a port that return something other than a promise of an `Either`, so they cannot return a failure. */
export type PlainMethod<Port> = {
  [Name in keyof Port]-?: NonNullable<Port[Name]> extends (...args: never) => Promise<E.Either<unknown, unknown>> ? never : Name
}[keyof Port]

/** The plain methods of a port, and what happens if one throws. */
export type PlainMethods = { readonly [Name in string]?: 'guess' | 'passed' }

/**
 * A port whose methods return a failure if they throw or reject.
 *
 * If a plain method marked `guess` throws, it returns nothing; a method marked `passed` may throw. Methods run with the port itself as `this`, so it may be an instance
 * of a class.
 */
export const guardPort = <Port extends object>(port: Port, failureOf: (cause: unknown) => unknown, plain: PlainMethods = {}): Port =>
  // The target is a copy, because a proxy may not return a different value for a property of a frozen object.
  new Proxy({ ...port }, {
    get: (_copy, name): unknown => {
      const method: unknown = Reflect.get(port, name)
      if (typeof method !== 'function') return method
      const kind = typeof name === 'string' ? plain[name] : undefined
      if (kind !== undefined) {
        return (...args: ReadonlyArray<unknown>): unknown =>
          kind === 'guess' ? quietly((): unknown => Reflect.apply(method, port, args)) : Reflect.apply(method, port, args)
      }
      return async (...args: ReadonlyArray<unknown>): Promise<unknown> => {
        try {
          return await Reflect.apply(method, port, args)
        } catch (cause) {
          return E.left(failureOf(cause))
        }
      }
    },
  })

/** An admission that refuses a send if it throws, because nothing was sent yet. A release that throws does not hide the outcome of the send. */
export const guardAdmission = (admission: Admission): Admission => ({
  admit: async (workspace) => {
    try {
      return E.map(({ release }: { readonly release: () => void }) => ({ release: () => { quietly(release) } }))(
        await admission.admit(workspace),
      )
    } catch (cause) {
      return E.left<PlatformUnreachable>({ _tag: 'PlatformUnreachable', cause })
    }
  },
  hasRoom: () => quietly(admission.hasRoom) ?? false,
})

/** A tracer that changes no outcome if it throws: the work runs exactly once, and its outcome is returned. */
export const guardTracer = (tracer: Tracer): Tracer => ({
  span: async <Result>(wanted: Parameters<Tracer['span']>[0], work: (span: Span) => Promise<Result>): Promise<Result> => {
    let answer: Promise<Result> | undefined
    const run = (span: Span): Promise<Result> => (answer ??= work(guardSpan(span)))
    try {
      return await tracer.span(wanted, run)
    } catch {
      return run(NO_SPAN)
    }
  },
  current: () => quietly(() => tracer.current()),
})

const guardSpan = (span: Span): Span => ({
  isRecording: span.isRecording,
  name: (name) => quietly(() => span.name(name)),
  say: (attributes) => quietly(() => span.say(attributes)),
  link: (context) => quietly(() => span.link(context)),
  fail: (code) => quietly(() => span.fail(code)),
})

const NO_SPAN: Span = { isRecording: false, name: () => undefined, say: () => undefined, link: () => undefined, fail: () => undefined }

/** Runs work that may throw. Returns `undefined` if the work threw. */
export const quietly = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
