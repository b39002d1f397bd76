import { machine } from '../../adapters/machine/machine.js'
import type { MemberUseCases } from '../../core/access/member-use-cases.js'
import type { PasswordHasher } from '../../core/access/passwords.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, MINUTE_MS } from '../../core/kernel/time.js'
import type { AllStoragePorts } from '../../core/ports.js'
import { type Administration, makeAdministration, makeMembers } from '../../core/postern.js'
import type { AdministrationSettings } from '../../core/settings.js'
import { plainHasher } from './plain-hasher.js'

/** Settings for use cases over a storage. */
export const SETTINGS: AdministrationSettings = {
  ...machine, unconfirmedAfterMs: 2 * MINUTE_MS, releaseAfterMs: 7 * DAY_MS,
  rateCard: () => ({
    currency: 'USD' as Currency, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing',
    default: { service: 0n, marketing: 1n, utility: 1n, authentication: 1n },
  }),
}

/** The operators' use cases over a storage; claims about senders are trusted. */
export const administrationOf = (storage: AllStoragePorts, settings: Partial<AdministrationSettings> = {}): Administration =>
  makeAdministration({ ...storage, senderVerification: 'trusted' }, { ...SETTINGS, ...settings })

/** The use cases of people who sign in, over a storage. */
export const membersOf = (storage: AllStoragePorts, passwords: PasswordHasher = plainHasher()): MemberUseCases =>
  makeMembers({ ...storage, senderVerification: 'trusted', passwords }, SETTINGS)
