import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from './errors.js'
import type { PhoneNumber } from './message.js'
import type { WindowClock } from './ports/window-clock.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/**
 * Countries whose mobile numbers are spelled with and without an extra digit, either of which leads to the other.
 *
 * The platform may report a customer under the other spelling than the one that was dialled, and says that this is no
 * bug: <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
 */
const OTHER_SPELLINGS: ReadonlyArray<readonly [spelling: RegExp, other: string]> = [
  [/^521([0-9]{10})$/, '52$1'], // Mexico: reported with a 1 after the country code
  [/^52([0-9]{10})$/, '521$1'],
  [/^549([0-9]{10})$/, '54$1'], // Argentina: reported with a 9 after the country code
  [/^54([0-9]{10})$/, '549$1'],
  [/^55([0-9]{2})9([0-9]{8})$/, '55$1$2'], // Brazil: older accounts lack the ninth digit after the area code
  [/^55([0-9]{2})([0-9]{8})$/, '55$19$2'],
]

/** Every spelling under which the platform may know a customer, the given one first. */
export const spellingsOf = (number: PhoneNumber): ReadonlyArray<PhoneNumber> => {
  const other = OTHER_SPELLINGS.find(([spelling]) => spelling.test(number))
  return other === undefined ? [number] : [number, number.replace(...other) as PhoneNumber]
}

/** When a customer last wrote to a workspace, under whichever spelling of the number; none where the customer never did. */
export const lastInboundOf = (
  windowClock: Pick<WindowClock, 'lastInbound'>, workspace: WorkspaceId, customer: PhoneNumber,
): TE.TaskEither<PortFailure, O.Option<Instant>> =>
  pipe(
    spellingsOf(customer).map((spelling) => windowClock.lastInbound(workspace, spelling)),
    TE.sequenceArray,
    TE.map((found) => found.reduce(later)),
  )

const later = (a: O.Option<Instant>, b: O.Option<Instant>): O.Option<Instant> =>
  O.isSome(a) && O.isSome(b) ? (a.value > b.value ? a : b) : O.isSome(a) ? a : b
