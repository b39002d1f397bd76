import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Pricing, WorkspacePricing } from '../../core/money/pricing.js'
import { openMemoryFixture } from '../adapters/memory/memory-fixture.js'
import { type WorkspacePricingFixture, workspacePricingLaws } from '../laws/workspace-pricing.js'
import { describeMutations } from './mutation.js'

const broken = (defect: (pricing: WorkspacePricing) => Partial<WorkspacePricing>) => async (): Promise<WorkspacePricingFixture> => {
  const memory = await openMemoryFixture()
  return { ...memory, workspacePricing: { ...memory.workspacePricing, ...defect(memory.workspacePricing) } }
}

const READ_BACK = 'a pricing is read back as it was set by the very next call, replaced and removed'
const OWN = 'a pricing concerns its own workspace alone'
const UNKNOWN = 'a workspace that does not exist has no pricing, and none can be set'
const ALONG = 'setting a pricing stores the entries that were made along with it'

describeMutations('the pricing of workspaces', workspacePricingLaws, [
  {
    defect: 'keeps the first pricing',
    open: broken(({ pricingOf, setPricing }) => ({
      setPricing: async (workspace, ...given) => {
        const found = await pricingOf(workspace)
        return E.isRight(found) && O.isSome(found.right) ? E.right(undefined) : setPricing(workspace, ...given)
      },
    })),
    breaks: [READ_BACK],
  },
  {
    defect: 'reads a pricing from a copy that is one read old',
    open: broken(({ pricingOf }) => {
      const seen = new Map<WorkspaceId, Awaited<ReturnType<WorkspacePricing['pricingOf']>>>()
      return {
        pricingOf: async (workspace) => {
          const before = seen.get(workspace)
          const now = await pricingOf(workspace)
          seen.set(workspace, now)
          return before ?? now
        },
      }
    }),
    breaks: [READ_BACK],
  },
  {
    defect: 'has one pricing for all',
    open: broken(() => {
      let last: Pricing | undefined
      return {
        pricingOf: async () => E.right(O.fromNullable(last)),
        setPricing: async (_workspace, pricing) => {
          last = pricing
          return E.right(undefined)
        },
      }
    }),
    breaks: [OWN, UNKNOWN, ALONG],
  },
  {
    defect: 'stores nothing along with a pricing',
    open: broken(({ setPricing }) => ({ setPricing: (workspace, pricing) => setPricing(workspace, pricing) })),
    breaks: [ALONG],
  },
])
