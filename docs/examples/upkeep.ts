import { currencyOf, makeAdministration, phoneNumberOf, workspaceIdOf } from 'postern'
import { makeMemoryStorage } from 'postern/memory'
import { machine, makeUpkeep } from 'postern/sending'
import { uuidv7 } from 'uuidv7'

const DAY_MS = 24 * 3_600_000
const storage = makeMemoryStorage()
const prices = { service: 0n, marketing: 62_500n, utility: 20_000n, authentication: 20_000n }
const card = { currency: currencyOf('USD'), effective: '2026-01-01', templateCategory: 'marketing' as const, markets: new Map(), default: prices }
const { upkeep } = makeAdministration({ ...storage, senderVerification: 'trusted' }, {
  ...machine, rateCard: () => card, unconfirmedAfterMs: 120_000, releaseAfterMs: 7 * DAY_MS,
})
await storage.windowClock.recordInbound(workspaceIdOf(uuidv7()), { phoneNumber: phoneNumberOf('33639980001') }, Date.now() - 400 * DAY_MS)

const { start, stop } = makeUpkeep({
  ...storage, ...upkeep,
  onFailure: (event, error) => console.error(event, error),
  log: (_level, event, counts) => {
    console.log(event, counts)
    // An app calls stop when it shuts down. This example stops after the first log entry.
    void stop()
  },
}, { retentionMs: 365 * DAY_MS, eventRetentionMs: 30 * DAY_MS })
start()
