import type { Instant } from '../../core/kernel/time.js'
import type { Gateway } from './gateway.js'

/** A pass over the queue: its gateway, and when it began. */
export type Pass = {
  readonly gateway: Gateway; readonly life: number; readonly tick: number; readonly at: Instant
  /** Whether it has the turn of its sender; absent if it runs without turns. */
  readonly isHeld?: () => boolean
}
