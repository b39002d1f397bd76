import type { IncomingMessage } from 'node:http'
import type { Cause } from '../../core/kernel/failure.js'
import type { ByteBudget } from '../shared/byte-budget.js'
import type { ConsoleLimits, Throttle } from './limits.js'
import type { LiveParts } from './live.js'

/** Finds the network address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string | undefined

/** Logs an event, named in snake case, with its fields. */
export type ConsoleLog = (level: 'info' | 'error', event: string, fields: Readonly<Record<string, string | number | Cause>>) => void

/** One answered request. */
export type ConsoleObservation = { readonly method: string; readonly route: string; readonly status: number; readonly durationMs: number }

/** The values that the routes of a console share. */
export type Settings = {
  readonly publicOrigin: string | undefined
  readonly log: ConsoleLog
  readonly live: LiveParts
  readonly patterns: ReadonlySet<string>
  /** Whether an address belongs to a page that a GET shows to members. */
  readonly isShown: (address: string) => boolean
  readonly clientAddress: ClientAddress
  readonly bodyMemory: ByteBudget
  readonly limits: ConsoleLimits
  /** The throttle of all downloads together. */
  readonly downloads: Throttle
}

/** Whether browsers reach the console over https. */
export const isHttps = ({ publicOrigin }: Settings): boolean => publicOrigin?.startsWith('https:') === true
