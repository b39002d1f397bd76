import * as E from 'fp-ts/lib/Either.js'
import type { Leases } from '../../core/kernel/leases.js'

/** Leases that record their calls; after a switch, another holder has them all. */
export const openNotedLeases = () => {
  const [asked, released] = [new Array<{ readonly name: string; readonly ttlMs: number }>(), new Array<string>()]
  let isHeldElsewhere = false
  const leases: Leases = {
    take: async (name, ttlMs) => {
      asked.push({ name, ttlMs })
      return E.right(!isHeldElsewhere)
    },
    release: async (name) => E.right(void released.push(name)),
  }
  return { leases, asked, released, holdElsewhere: () => { isHeldElsewhere = true } }
}
