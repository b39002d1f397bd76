import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import { currencyOf } from '../../core/kernel/money.js'
import { MAX_MARKUP, type Pricing, type WorkspacePricing } from '../../core/money/pricing.js'
import type { RateCard } from '../../core/money/rate-card.js'
import { newEvent } from './entries-fixture.js'
import { done, refused, same } from './expect.js'
import { newWorkspaceId } from './ids.js'
import type { Law } from './law.js'

/** How workspaces are priced, and the control over the environment that their laws need. */
export type WorkspacePricingFixture = {
  readonly workspacePricing: WorkspacePricing
  readonly eventOutbox: Pick<EventOutbox, 'after'>
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId }>
}

const CARD: RateCard = {
  currency: currencyOf('USD'), effective: '2026-10-01', templateCategory: 'marketing',
  default: { service: 0n, marketing: 9_007_199_254_740_993n, utility: 7_700n, authentication: 7_700n },
  markets: new Map([['55', { service: 6_800n, marketing_lite: 1n }], ['1', {}]]),
}

const PRICINGS: ReadonlyArray<Pricing> = [
  { _tag: 'Markup', ppm: 0n }, { _tag: 'Markup', ppm: 200_000n }, { _tag: 'Markup', ppm: MAX_MARKUP },
  { _tag: 'OwnCards', cards: [CARD] },
  { _tag: 'OwnCards', cards: [CARD, { ...CARD, effective: '2027-01-01', templateCategory: 'utility' }] },
]

const readIn = ({ workspacePricing }: WorkspacePricingFixture, workspace: WorkspaceId): Promise<O.Option<Pricing>> =>
  done('the pricing of a workspace is read', workspacePricing.pricingOf(workspace))

const set = ({ workspacePricing }: WorkspacePricingFixture, workspace: WorkspaceId, pricing: Pricing | undefined): Promise<void> =>
  done('the pricing of a workspace is set', workspacePricing.setPricing(workspace, pricing))

/** The promises of every `WorkspacePricing`. */
export const workspacePricingLaws: ReadonlyArray<Law<WorkspacePricingFixture>> = [
  {
    name: 'a pricing is read back as it was set by the very next call, replaced and removed',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      same('before any was set', await readIn(fixture, workspace), O.none)
      for (const pricing of PRICINGS) {
        await set(fixture, workspace, pricing)
        same('the pricing that was set', await readIn(fixture, workspace), O.some(pricing))
      }
      await set(fixture, workspace, undefined)
      same('after it was removed', await readIn(fixture, workspace), O.none)
    },
  },
  {
    name: 'a pricing concerns its own workspace alone',
    check: async (fixture) => {
      const [ours, theirs] = [await fixture.openWorkspace(), await fixture.openWorkspace()]
      await set(fixture, ours.workspace, PRICINGS[1])
      await set(fixture, theirs.workspace, PRICINGS[3])
      same('ours', await readIn(fixture, ours.workspace), O.fromNullable(PRICINGS[1]))
      await set(fixture, ours.workspace, undefined)
      same('theirs', await readIn(fixture, theirs.workspace), O.fromNullable(PRICINGS[3]))
    },
  },
  {
    name: 'a workspace that does not exist has no pricing, and none can be set',
    check: async (fixture) => {
      const workspace = newWorkspaceId()
      await refused('an unknown workspace', 'UnknownWorkspace', fixture.workspacePricing.setPricing(workspace, PRICINGS[1]))
      same('its pricing', await readIn(fixture, workspace), O.none)
    },
  },
  {
    name: 'setting a pricing stores the entries that were made along with it',
    check: async (fixture) => {
      const { workspace } = await fixture.openWorkspace()
      const along = (of: WorkspaceId) => [newEvent(of, { priced: 'so' })]
      await done('with entries', fixture.workspacePricing.setPricing(workspace, PRICINGS[1], along))
      const events = await done('the events are read', fixture.eventOutbox.after(workspace, 0, 10))
      same('the events', events.map(({ data }) => data), [{ priced: 'so' }])
    },
  },
]
